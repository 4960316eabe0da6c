import type { ServerResponse } from 'node:http'
import { validateNewPet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { createPetStoreClient } from './create-pet-store-client.ts'
import { API_KEY, startService } from './testing/start-service.test-support.ts'
import { json, rejectionOf, startStub } from './testing/start-stub.test-support.ts'

const ids = (count: number): bigint[] =>
  Array.from({ length: count }, (_, index) => BigInt(index + 1))

async function idsOf(pets: AsyncIterable<{ readonly id: bigint }>): Promise<bigint[]> {
  const found: bigint[] = []
  for await (const { id } of pets) found.push(id)
  return found
}

describe('iterating over pages', () => {
  it('allPets yields each pet once when a connection breaks in the middle of a page', async () => {
    let pages = 0
    const { baseUrl } = await startService({
      pets: createMemoryPets(ids(1_000).map((id) => ({ id, name: `Pet ${id}`, categoryId: 1n }))),
      around: (app) => (req, res) => {
        pages += 1
        if (pages === 4) sendHalf(res)
        app(req, res)
      },
    })
    expect(await idsOf(createPetStoreClient({ baseUrl, apiKey: API_KEY }).allPets())).toEqual(
      ids(1_000),
    )
    expect(pages).toBe(11)
  })

  it('allPages yields the pages of a status, and allPets resumes after any of them', async () => {
    const pets = createMemoryPets()
    for (const status of ['sold', 'pending', 'sold', 'sold', 'sold'] as const) {
      await pets.add(validateNewPet({ name: 'Rex', categoryId: 1n, status }))
    }
    const { baseUrl } = await startService({ pets })
    const client = createPetStoreClient({ baseUrl, apiKey: API_KEY })
    const pages = client.allPages({ status: 'sold', pageSize: 3 })
    const { value: first } = await pages.next()
    expect(first?.pets.map(({ id }) => id)).toEqual([1n, 3n, 4n])
    const rest = client.allPets({ status: 'sold', cursor: first?.next?.cursor })
    expect(await idsOf(rest)).toEqual([5n])
  })

  it('allPets requests no page before its first pet is needed', async () => {
    const page = json(200, '[{"id":1,"name":"Rex","categoryId":1}]', {
      Link: '<?cursor=a>; rel="next"',
    })
    const stub = await startStub(page)
    const pets = createPetStoreClient({ baseUrl: stub.baseUrl }).allPets()
    expect(stub.requests).toHaveLength(0)
    for await (const { id } of pets) {
      expect(id).toBe(1n)
      break
    }
    expect(stub.requests).toHaveLength(1)
  })

  it.each([
    ['the same page for every cursor', 'a', 2],
    ['two pages in turn', 'b', 3],
  ])('allPets rejects when a cache returns %s', async (_what, cursor, requests) => {
    const page = (id: number, next: string) =>
      json(200, `[{"id":${id},"name":"Rex","categoryId":1}]`, {
        Link: `<?limit=5&cursor=${next}>; rel="next"`,
      })
    const stub = await startStub(page(1, 'a'), page(2, cursor), page(1, 'a'))
    const client = createPetStoreClient({ baseUrl: stub.baseUrl })
    expect(await rejectionOf(idsOf(client.allPets()))).toMatchObject({
      code: 'unexpected_response',
      status: 200,
    })
    expect(stub.requests).toHaveLength(requests)
  })
})

describe('the link to the next page', () => {
  it.each([
    ['relative', '<?limit=7&status=sold&cursor=a%2Bb>; rel="next"'],
    ['an absolute path', '</elsewhere/pets?cursor=a%2Bb&status=sold&limit=7>; rel=next'],
    [
      'of the same origin',
      '<http://127.0.0.1/v1/pets?limit=7&status=sold&cursor=a%2Bb>; title="a, b"; rel="prev NEXT"',
    ],
    [
      'after another link',
      '<../docs>; rel="help", <?limit=7&status=sold&cursor=a%2Bb>; rel="next"',
    ],
  ])('allPets follows a next link that is %s', async (_what, link) => {
    const stub = await startStub(json(200, '[]', { Link: link }))
    const client = createPetStoreClient({ baseUrl: `${stub.origin}/a/prefix/v1` })
    const { next } = await client.listPets({ limit: 1 })
    expect(next).toEqual({ limit: 7, status: 'sold', cursor: 'a+b' })
    await rejectionOf(client.listPets(next))
    expect(stub.requests[1]?.url).toBe('/a/prefix/v1/pets?limit=7&status=sold&cursor=a%2Bb')
  })

  it('a next link to another origin is followed at the base address', async () => {
    const other = await startStub(json(200, '[]'))
    const stub = await startStub(
      json(200, '[{"id":1,"name":"Rex","categoryId":1}]', {
        Link: `<${other.baseUrl}/pets?cursor=a>; rel="next"`,
      }),
      json(200, '[]'),
    )
    const client = createPetStoreClient({ baseUrl: stub.baseUrl, apiKey: API_KEY })
    expect(await idsOf(client.allPets())).toEqual([1n])
    expect(stub.requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?cursor=a'])
    expect(other.requests).toEqual([])
  })

  it.each([
    '',
    '<?cursor=a>; rel="prev"',
    '<?cursor=a>',
    '<?cursor=a>; rel="nextish"',
    'cursor=a; rel="next"',
  ])('a page has no next link in %j', async (link) => {
    const stub = await startStub(json(200, '[]', { Link: link }))
    expect(await createPetStoreClient({ baseUrl: stub.baseUrl }).listPets()).toEqual({ pets: [] })
  })

  // A quadratic pattern takes minutes for these.
  it.each([
    ['<', '<'.repeat(1_000_000)],
    ['a space', `<a>${' '.repeat(1_000_000)}`],
    ['an open quote', `<a>; title="${'\\a'.repeat(500_000)}`],
    ['a parameter', `<a>${'; rel=prev'.repeat(100_000)}`],
    ['a relation', `<a>${'; rel="next'.repeat(100_000)}`],
    ['spaces in a relation', `<a>; rel ="${' next-'.repeat(200_000)}`],
  ])('a long Link header of %s is parsed in linear time', async (_what, link) => {
    const fetch = async () => new Response('[]', { headers: { Link: link } })
    expect(
      await createPetStoreClient({ baseUrl: 'https://pets.example/v1', fetch }).listPets(),
    ).toEqual({ pets: [] })
  })

  it.each(['<?limit=5>; rel="next"', '<http://[>; rel="next"', '<>; rel="next"'])(
    'the next link %s is rejected',
    async (link) => {
      const stub = await startStub(json(200, '[]', { Link: link }))
      const client = createPetStoreClient({ baseUrl: stub.baseUrl })
      expect(await rejectionOf(client.listPets())).toMatchObject({
        code: 'unexpected_response',
        cause: { name: 'TypeError' },
      })
    },
  )
})

function sendHalf(res: ServerResponse): void {
  res.end = ((body: string) => {
    res.write(body.slice(0, body.length / 2), () => res.destroy())
    return res
  }) as ServerResponse['end']
}
