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

interface Pact {
  readonly interactions: readonly {
    readonly request: { readonly method: string; readonly path: string }
    readonly response: { readonly status: number }
  }[]
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

it('docs/openapi.json allows everything in the contract of the client', async () => {
  const differences: string[] = []
  // The comparator changes its arguments.
  const comparator = new Comparator({ oas: structuredClone(oas) })
  for await (const { type, code, message } of comparator.compare(structuredClone(clientPact))) {
    // A status that only `default` covers is not described for this operation.
    if (type === 'error' || code === 'response.status.default') differences.push(`${code}: ${message}`)
  }
  expect(differences).toEqual([])
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
