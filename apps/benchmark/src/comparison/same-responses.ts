import { createApiKeyText } from '@pet-store/access'
import { ask, LoadConnection } from '@pet-store/testing'
import { dataPet, newPetJson, petJson } from '../requests/data-set.ts'
import { API_KEY, checkedRequest, send } from '../requests/request.ts'
import type { Running } from './running.ts'

const LIST = '/v1/pets?limit=20'
const CREATE = { method: 'POST', path: '/v1/pets' }

/** Headers that differ with each response or with the way of paging. */
const VARIABLE_HEADERS = ['date', 'x-request-id', 'link']

/**
 * Sends each request and compares the response byte for byte with the data set; adds a few pets;
 * and expects error responses where the work includes checks. Rejects on the first wrong response.
 */
export async function assertSameResponses(running: Running): Promise<void> {
  const { contestant, servers, requests, size } = running
  const added = [1, 2, 3].map((next) => dataPet(size + next, size + 1_000))
  const all = [
    ...[...requests.values()].flat().filter(({ status }) => status === 200),
    ...added.map((pet) => checkedRequest({ ...CREATE, body: newPetJson(pet) }, 201, petJson(pet))),
    ...[undefined, createApiKeyText()].map((key) => checkedRequest({ path: LIST, key }, 401)),
    checkedRequest({ path: `/v1/pets/${size + 1_000_000}` }, 404),
    // A bare server validates nothing.
    ...(contestant.role === 'bare' ? [] : INVALID),
  ]
  const connection = new LoadConnection(servers[0].port)
  try {
    // One after the other: the ids of the added pets follow each other.
    for (const request of all) await send(connection, request)
    running.added += added.length
  } catch (cause) {
    throw new Error(`${contestant.name}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    })
  } finally {
    connection.close()
  }
}

const INVALID = [
  ...['limit=101', 'status=lost'].map((query) =>
    checkedRequest({ path: `/v1/pets?${query}` }, 400),
  ),
  ...['{"name":"Rex"}', '{"name":"Rex","categoryId":"one"}'].map((body) =>
    checkedRequest({ ...CREATE, body }, 400),
  ),
]

/**
 * Rejects unless each bare server sends the same headers as our service, so that both write the
 * same number of bytes.
 */
export async function assertSameHeaders(all: readonly Running[]): Promise<void> {
  if (!all.some(({ contestant }) => contestant.role === 'bare')) return
  const alike = all.filter(({ contestant }) => contestant.role !== 'peer')
  const headers = await Promise.all(alike.map(({ servers: [{ port }] }) => headersOf(port)))
  if (new Set(headers).size > 1) throw new Error(`Headers differ:\n${headers.join('\n\n')}`)
}

/**
 * The headers of a list and of one pet, as text; without the values that differ with each
 * response.
 */
async function headersOf(port: number): Promise<string> {
  const responses = await Promise.all(
    [LIST, '/v1/pets/1'].map((path) => ask(port, { path, key: API_KEY })),
  )
  const headers = responses.flatMap((response) => Object.entries(response?.headers ?? {}).sort())
  return headers
    .map(([name, value]) => (VARIABLE_HEADERS.includes(name) ? name : `${name}: ${value}`))
    .join('\n')
}
