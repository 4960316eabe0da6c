import { createApiKeyText } from '@pet-store/access'
import { ask } from '@pet-store/testing'
import { dataPet, newPetJson, petJson } from '../requests/data-set.ts'
import { API_KEY, type CheckedRequest, checkedRequest, sendAlone } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'

const LIST = '/v1/pets?limit=20'
const CREATE = { method: 'POST', path: '/v1/pets' }
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
  async function check(request: CheckedRequest): Promise<void> {
    await sendAlone(port, request).catch((cause: Error) => {
      throw new Error(`${name}: ${cause.message}`, { cause })
    })
  }

  const reads = new Map(requests.filter(({ status }) => status === 200).map((request) => [request.path, request]))
  await Promise.all([...reads.values()].map(check))
  // One after the other: their ids follow each other.
  for (let id = size + 1; id <= size + ADDED; id += 1) {
    const pet = dataPet(id, size + 1_000)
    await check(checkedRequest({ ...CREATE, body: newPetJson(pet) }, 201, petJson(pet)))
  }
  for (const key of [undefined, createApiKeyText()]) await check(checkedRequest({ path: LIST, key }, 401))
  await check(checkedRequest({ path: `/v1/pets/${size + 1_000_000}` }, 404))
  // A ceiling does nothing but the work, so it validates nothing.
  if (role !== 'ceiling') await Promise.all(INVALID.map(check))
  return ADDED
}

const INVALID = [
  ...['limit=101', 'status=lost'].map((query) => checkedRequest({ path: `/v1/pets?${query}` }, 400)),
  ...['{"name":"Rex"}', '{"name":"Rex","categoryId":"one"}'].map((body) => checkedRequest({ ...CREATE, body }, 400)),
]

/** The headers of a list and of one pet, as text; without the values of those that differ with each response. */
export async function headersOf(port: number): Promise<string> {
  const responses = await Promise.all([LIST, '/v1/pets/1'].map((path) => ask(port, { path, key: API_KEY })))
  const headers = responses.flatMap((response) => Object.entries(response?.headers ?? {}).sort())
  return headers.map(([name, value]) => (VARIABLE_HEADERS.includes(name) ? name : `${name}: ${value}`)).join('\n')
}
