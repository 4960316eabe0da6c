import { createApiKeyText } from '@pet-store/access'
import { ask, type WireRequest } from '@pet-store/testing'
import { dataPet, newPetJson, petJson } from '../requests/data-set.ts'
import { API_KEY, type CheckedRequest } from '../requests/request.ts'
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
  requests: readonly CheckedRequest[],
  size: number,
): Promise<number> {
  async function assertResponse(request: WireRequest, status: number, body?: string): Promise<void> {
    const response = await ask(port, { key: API_KEY, ...request })
    if (response?.status === status && (body === undefined || response.text === body)) return
    const responses = `expected: ${status} ${body ?? ''}\nreceived: ${response?.status} ${response?.text}`
    throw new Error(`${name} gives a wrong response to ${request.method ?? 'GET'} ${request.path}\n${responses}`)
  }

  const reads = new Map(requests.filter(({ method }) => method === 'GET').map((request) => [request.path, request]))
  for (const { path, status, responseBody } of reads.values()) await assertResponse({ path }, status, responseBody)
  for (let id = size + 1; id <= size + ADDED; id += 1) {
    const pet = dataPet(id, size + 1_000)
    await assertResponse({ method: 'POST', path: '/v1/pets', body: newPetJson(pet) }, 201, petJson(pet))
  }
  for (const key of [undefined, createApiKeyText()]) await assertResponse({ path: '/v1/pets?limit=20', key }, 401)
  await assertResponse({ path: `/v1/pets/${size + 1_000_000}` }, 404)
  // A ceiling does nothing but the work, so it validates nothing.
  if (role === 'ceiling') return ADDED
  for (const query of ['limit=101', 'status=lost']) await assertResponse({ path: `/v1/pets?${query}` }, 400)
  for (const body of ['{"name":"Rex"}', '{"name":"Rex","categoryId":"one"}']) {
    await assertResponse({ method: 'POST', path: '/v1/pets', body }, 400)
  }
  return ADDED
}

/** The headers of a list and of one pet, as text; without the values of those that differ with each response. */
export async function headersOf(port: number): Promise<string> {
  const responses = await Promise.all(
    ['?limit=20', '/1'].map((end) => ask(port, { path: `/v1/pets${end}`, key: API_KEY })),
  )
  const headers = responses.flatMap((response) => Object.entries(response?.headers ?? {}).sort())
  return headers.map(([name, value]) => (VARIABLE_HEADERS.includes(name) ? name : `${name}: ${value}`)).join('\n')
}
