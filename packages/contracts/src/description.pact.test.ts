import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as comparison from '@pactflow/openapi-pact-comparator'
import { expect, it } from 'vitest'
import { CLIENT_PACT } from './sources/pact-files.ts'

// Its declarations omit the file extensions that Node's resolution needs, so TypeScript finds nothing in them.
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object
  }) => {
    compare(pact: object): AsyncIterable<{ readonly type: string; readonly code: string; readonly message: string }>
  }
}

interface Interaction {
  readonly request: { readonly method: string; readonly path: string; readonly body?: { readonly content: object } }
  readonly response: { readonly status: number; readonly headers: object; readonly body: { readonly content: object } }
}
interface Pact {
  readonly interactions: readonly Interaction[]
}
interface Description {
  readonly paths: Record<
    string,
    Record<string, { readonly operationId?: string; readonly responses: Record<string, object> }>
  >
}

const description = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
) as Description
const clientPact = JSON.parse(readFileSync(CLIENT_PACT, 'utf8')) as Pact

/** Contracts are relative to the base address, so the description must be too. */
const oas = { ...description, servers: [{ url: '/' }] }

/** What is in the contract but not allowed by the description. */
async function differences(pact: object): Promise<readonly string[]> {
  const found: string[] = []
  // The comparator changes its arguments.
  for await (const { type, code, message } of new Comparator(structuredClone({ oas })).compare(structuredClone(pact))) {
    // A status that only `default` covers is not described for this operation.
    if (type === 'error' || code === 'response.status.default') found.push(`${code}: ${message}`)
  }
  return found
}

it('docs/openapi.json allows everything in the contract of the client', async () => {
  expect(await differences(clientPact)).toEqual([])
})

it('a contract with what docs/openapi.json does not allow is reported', async () => {
  const pact = structuredClone(clientPact)
  const [list, added] = [200, 201].map((status) => pact.interactions.find(({ response }) => response.status === status))
  Object.assign(list?.response.headers ?? {}, { 'X-Total-Count': ['3'] })
  Object.assign(added?.request.body?.content ?? {}, { categoryId: 'seven' })
  Object.assign(added?.response.body.content ?? {}, { colour: 'brown' })
  const codes = (await differences(pact)).map((one) => one.split(':')[0])
  const expected = ['response.header.unknown', 'request.body.incompatible', 'response.body.incompatible']
  expect(codes.sort()).toEqual(expected.sort())
})

it('every documented status of every operation has an interaction in the contract of the client', () => {
  const covered = (method: string, path: string, status: string) =>
    clientPact.interactions.some(
      ({ request, response }) =>
        request.method.toLowerCase() === method &&
        new RegExp(`^${path.replace(/{\w+}/, '[^/]+')}$`).test(request.path) &&
        String(response.status) === status,
    )
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, { operationId, responses }] of Object.entries(methods)) {
      const statuses = Object.keys(responses ?? {}).filter((status) => status !== 'default')
      expect(
        statuses.filter((status) => !covered(method, path, status)),
        operationId,
      ).toEqual([])
    }
  }
})
