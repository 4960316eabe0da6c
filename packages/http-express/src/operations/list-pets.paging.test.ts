import { createPetUseCases, validateNewPet } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectError, type TestResponse } from '../testing/expect-error.test-support.ts'
import { openTestServer, type TestServer } from '../testing/start-test-server.test-support.ts'

/** The target of the next link, as a client resolves it. */
function nextOf(response: TestResponse, path: string): string | undefined {
  const link = response.headers['link']
  if (link === undefined) return undefined
  const target = /^<([^>]*)>; rel="next"$/.exec(String(link))?.[1]
  expect(target, String(link)).toBeDefined()
  const url = new URL(String(target), `http://localhost${path}`)
  return url.pathname + url.search
}

function idsIn(response: TestResponse): number[] {
  expect(response.status, response.text).toBe(200)
  return Array.from(response.text.matchAll(/"id":(\d+)/g), ([, id]) => Number(id))
}

/**
 * The ids of each page, following the links to the end. `limitOf` may ask for another limit on each
 * page.
 */
async function pagesFrom(
  server: TestServer,
  start: string,
  limitOf: (page: number) => number | undefined = () => undefined,
): Promise<number[][]> {
  const pages: number[][] = []
  for (let path: string | undefined = start; path !== undefined; ) {
    const limit = limitOf(pages.length)
    const asked: string = limit === undefined ? path : path.replace(/limit=\d+/, `limit=${limit}`)
    const response = await server.send({ path: asked })
    pages.push(idsIn(response))
    if (pages.length > 2_000) throw new Error(`No end of pages from ${start}`)
    path = nextOf(response, asked)
  }
  return pages
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Even with the greatest limit there are several pages, and the last of them is not full. */
const COUNT = 252

const repository = createMemoryPets()
let server: TestServer
beforeAll(async () => {
  const { createPet } = createPetUseCases(repository)
  const statuses = ['available', 'pending', 'sold'] as const
  for (const id of upTo(COUNT)) {
    const status = statuses[id % 4]
    await createPet({
      name: `Pet ${id}`,
      categoryId: 1n,
      ...(status !== undefined && { status }),
    })
  }
  server = await openTestServer({ repository })
})
afterAll(() => server.close())

it('pages of a list have each pet once, in order, with every limit; none is empty', async () => {
  const expected = upTo(COUNT)
  for (let limit = 1; limit <= 100; limit += 1) {
    const pages = await pagesFrom(server, `/v1/pets?limit=${limit}`)
    expect(pages).toHaveLength(Math.ceil(COUNT / limit))
    expect(pages.flat()).toEqual(expected)
  }
})

it.each(['available', 'pending', 'sold'])(
  'the next link of a list repeats the status filter %s and the limit',
  async (status) => {
    const first = await server.send({ path: `/v1/pets?status=${status}&limit=7` })
    const next = new URL(String(nextOf(first, '/v1/pets')), 'http://localhost')
    expect([...next.searchParams.keys()].sort()).toEqual(['cursor', 'limit', 'status'])
    expect(next.searchParams.get('status')).toBe(status)
    expect(next.searchParams.get('limit')).toBe('7')
    const pages = await pagesFrom(server, `/v1/pets?status=${status}&limit=7`)
    expect(pages.flat()).toHaveLength(COUNT / 4)
    expect(new Set(pages.flat()).size).toBe(COUNT / 4)
  },
)

it('a list rejects a cursor of another filter, and accepts another limit', async () => {
  const first = await server.send({ path: '/v1/pets?limit=3' })
  const cursor = new URL(String(nextOf(first, '/v1/pets')), 'http://localhost').searchParams.get(
    'cursor',
  )
  const rejected = await server.send({ path: `/v1/pets?limit=3&status=sold&cursor=${cursor}` })
  expect(expectError(rejected, 'invalid_request')).toContain('cursor')
  expect(idsIn(await server.send({ path: `/v1/pets?limit=2&cursor=${cursor}` }))).toEqual([4, 5])
  expect(idsIn(await server.send({ path: `/v1/pets?cursor=${cursor}` }))).toHaveLength(20)
})

it.each([
  '',
  'x',
  '1',
  'AQAAAAAAAAAAAQ',
  '%00',
  '%zz',
  'a'.repeat(512),
  'a'.repeat(8000),
  'x&cursor=x',
])('a list rejects the cursor %j', async (cursor) => {
  const response = await server.send({ path: `/v1/pets?cursor=${cursor}` })
  expect(expectError(response, 'invalid_request')).toContain('cursor')
})

it('pages of a list have each earlier pet once, while others are added', async () => {
  const limits = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 3 }),
      async (sequence, count, added) => {
        const pets = createMemoryPets()
        const add = () => pets.add(validateNewPet({ name: 'Rex', categoryId: 1n }))
        for (const _ of upTo(count)) await add()
        const growing = await openTestServer({ repository: pets })
        try {
          let left = 40
          const pages = await pagesFrom(growing, '/v1/pets?limit=5', (page) => {
            const more = Math.min(added, left)
            left -= more
            for (let index = 0; index < more; index += 1) void add()
            return sequence[page % sequence.length]
          })
          const ids = pages.flat()
          expect(ids).toEqual(upTo(ids.length))
          expect(ids.length).toBeGreaterThanOrEqual(count)
        } finally {
          await growing.close()
        }
      },
    ),
    { numRuns: 30 },
  )
})
