import { createApiKeyText } from '@pet-store/access'
import { ask, type WireRequest } from '@pet-store/testing'
import { dataPet, newPetJson, petJson } from '../requests/data-set.ts'
import type { Operation, Target } from '../requests/operations.ts'
import { API_KEY } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'

const ADDED = 3

/** Headers that differ with each response or with the way of paging. */
const VARIABLE_HEADERS = ['date', 'x-request-id', 'link']

/**
 * Sends each request and compares the response byte for byte with the data set; adds a few pets; and expects error
 * responses where the work includes checks. Returns how many pets were added. Rejects on the first wrong response.
 */
export async function assertSameResponses(
  { name, role }: Contestant,
  port: number,
  operations: readonly Operation[],
  target: Target,
): Promise<number> {
  async function assertResponse(request: WireRequest, status: number, body?: string): Promise<void> {
    const response = await ask(port, { key: API_KEY, ...request })
    if (response?.status === status && (body === undefined || response.text === body)) return
    const responses = `expected: ${status} ${body ?? ''}\nreceived: ${response?.status} ${response?.text}`
    throw new Error(`${name} gives a wrong response to ${request.method ?? 'GET'} ${request.path}\n${responses}`)
  }

  const requests = operations.flatMap((operation) => operation.requests(target))
  const reads = new Map(requests.filter(({ method }) => method === 'GET').map((request) => [request.path, request]))
  for (const { path, status, responseBody } of reads.values()) await assertResponse({ path }, status, responseBody)
  for (let id = target.size + 1; id <= target.size + ADDED; id += 1) {
    const pet = dataPet(id, target.size + 1_000)
    await assertResponse({ method: 'POST', path: '/v1/pets', body: newPetJson(pet) }, 201, petJson(pet))
  }
  for (const key of [undefined, createApiKeyText()]) await assertResponse({ path: '/v1/pets?limit=20', key }, 401)
  await assertResponse({ path: `/v1/pets/${target.size + 1_000_000}` }, 404)
  // A ceiling does nothing but the work, so it validates nothing.
  if (role === 'ceiling') return ADDED
  for (const query of ['limit=101', 'status=lost']) await assertResponse({ path: `/v1/pets?${query}` }, 400)
  for (const body of ['{"name":"Rex"}', '{"name":"Rex","categoryId":"one"}']) {
    await assertResponse({ method: 'POST', path: '/v1/pets', body }, 400)
  }
  return ADDED
}

/** A contestant of which only the headers are asked for. */
interface Responding {
  readonly contestant: Contestant
  readonly servers: readonly { readonly port: number }[]
}

/** Rejects unless each ceiling sends the same headers as our service, so that both write the same number of bytes. */
export async function assertSameHeaders(running: readonly Responding[]): Promise<void> {
  const service = running.find(({ contestant }) => contestant.role === 'service')
  if (service === undefined) return
  for (const ceiling of running.filter(({ contestant }) => contestant.role === 'ceiling')) {
    for (const path of ['/v1/pets?limit=20', '/v1/pets/1']) {
      const [expected, actual] = await Promise.all([service, ceiling].map((one) => headerLines(one, path)))
      if (actual === expected) continue
      const { name } = ceiling.contestant
      throw new Error(`${name} sends other headers than our service for ${path}\n${actual}\nservice:\n${expected}`)
    }
  }
}

async function headerLines({ servers }: Responding, path: string): Promise<string> {
  const response = await ask(servers[0]?.port ?? 0, { path, key: API_KEY })
  return Object.entries(response?.headers ?? {})
    .map(([name, value]) => (VARIABLE_HEADERS.includes(name) ? name : `${name}: ${value}`))
    .sort()
    .join('\n')
}
