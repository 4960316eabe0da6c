import { createApiKeyText } from '@pet-store/access'
import { dataPet, newPetJson, petJson } from '../requests/data-set.ts'
import type { Operation, Target } from '../requests/operations.ts'
import { type CheckedRequest, type PetRequest, type PetResponse, send } from '../requests/request.ts'
import type { Contestant } from '../servers/contestants.ts'

const ADDED = 3

/** Headers that differ with each response or with the way of paging. */
const VARIABLE_HEADERS = ['date', 'x-request-id', 'link']

/**
 * Sends each request and compares the response byte for byte with the data set; adds a few pets; and expects error
 * responses where the work includes checks. Returns how many pets were added. Rejects on the first wrong response.
 */
export async function expectSameResponses(
  contestant: Contestant,
  port: number,
  operations: readonly Operation[],
  target: Target,
): Promise<number> {
  for (const request of reads(operations, target)) await expectResponse(contestant, port, request)
  for (let id = target.size + 1; id <= target.size + ADDED; id += 1) {
    const pet = dataPet(id, target.size + 1_000)
    const request = { method: 'POST', path: '/v1/pets', body: newPetJson(pet), status: 201 } as const
    await expectResponse(contestant, port, { ...request, responseBody: petJson(pet) })
  }
  await expectErrors(contestant, port, target.size)
  return ADDED
}

/** Each read, without repetitions. Requests that add are sent separately, since their responses differ each time. */
function reads(operations: readonly Operation[], target: Target): CheckedRequest[] {
  const requests = operations
    .flatMap((operation) => operation.requests(target))
    .filter(({ method }) => method === 'GET')
  return [...new Map(requests.map((request) => [request.path, request])).values()]
}

async function expectResponse(contestant: Contestant, port: number, request: CheckedRequest): Promise<void> {
  const response = await send(port, request)
  if (response.status !== request.status || response.body !== request.responseBody) {
    throw wrongResponse(contestant, request, `${request.status} ${request.responseBody}`, response)
  }
}

async function expectErrors(contestant: Contestant, port: number, size: number): Promise<void> {
  const list: PetRequest = { method: 'GET', path: '/v1/pets?limit=20' }
  const errors: (readonly [status: number, request: PetRequest, key?: string])[] = [
    [401, list, ''],
    [401, list, createApiKeyText()],
    [404, { method: 'GET', path: `/v1/pets/${size + 1_000_000}` }],
  ]
  // A ceiling does nothing but the work, so it validates nothing.
  if (contestant.role !== 'ceiling') {
    errors.push(
      [400, { method: 'GET', path: '/v1/pets?limit=101' }],
      [400, { method: 'GET', path: '/v1/pets?status=lost' }],
      [400, { method: 'POST', path: '/v1/pets', body: '{"name":"Rex"}' }],
      [400, { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":"one"}' }],
    )
  }
  for (const [status, request, key] of errors) {
    const response = await send(port, request, key)
    if (response.status !== status) throw wrongResponse(contestant, request, String(status), response)
  }
}

/** Rejects unless a ceiling sends the same headers as our service, so that both write the same number of bytes. */
export async function expectSameHeaders(ceiling: Contestant, port: number, servicePort: number): Promise<void> {
  for (const path of ['/v1/pets?limit=20', '/v1/pets/1']) {
    const request = { method: 'GET', path } as const
    const [expected = '', actual = ''] = await Promise.all(
      [servicePort, port].map(async (somePort) => headerLines(await send(somePort, request))),
    )
    if (actual !== expected) {
      throw new Error(
        `${ceiling.name} sends other headers than our service for ${path}\n${actual}\nservice:\n${expected}`,
      )
    }
  }
}

function headerLines({ headers }: PetResponse): string {
  return Object.entries(headers)
    .map(([name, value]) => (VARIABLE_HEADERS.includes(name) ? name : `${name}: ${value}`))
    .sort()
    .join('\n')
}

function wrongResponse(
  { name, database }: Contestant,
  { method, path }: PetRequest,
  expected: string,
  { status, body }: PetResponse,
): Error {
  const responses = `expected: ${expected}\nreceived: ${status} ${body}`
  return new Error(`${name} (${database}) gives a wrong response to ${method} ${path}\n${responses}`)
}
