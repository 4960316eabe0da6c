import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as comparison from '@pactflow/openapi-pact-comparator'
import { expect, it } from 'vitest'
import { CLIENT_PACT } from './sources/pact-files.ts'

// Its declarations omit the file extensions that Node's resolution needs, so TypeScript finds
// nothing in them.
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object
  }) => {
    compare(
      pact: object,
    ): AsyncIterable<{ readonly type: string; readonly code: string; readonly message: string }>
  }
}

interface Pact {
  readonly interactions: readonly {
    readonly request: { readonly method: string; readonly path: string }
    readonly response: { readonly status: number }
  }[]
}
interface Description {
  readonly paths: Record<string, Record<string, { readonly responses?: object }>>
}

const openApiFile = join(import.meta.dirname, '../../../docs/openapi.json')
const description = JSON.parse(readFileSync(openApiFile, 'utf8')) as Description
const clientPact = JSON.parse(readFileSync(CLIENT_PACT, 'utf8')) as Pact

/** Contracts are relative to the base address, so the description must be too. */
const oas = { ...description, servers: [{ url: '/' }] }

it('docs/openapi.json allows everything in the contract of the client', async () => {
  const differences: string[] = []
  // The comparator changes its arguments.
  const comparator = new Comparator({ oas: structuredClone(oas) })
  for await (const { type, code, message } of comparator.compare(structuredClone(clientPact))) {
    // A status that only `default` covers is not described for this operation.
    if (type === 'error' || code === 'response.status.default')
      differences.push(`${code}: ${message}`)
  }
  expect(differences).toEqual([])
})

it('every documented status of an operation has an interaction of the client', () => {
  const covered = clientPact.interactions.map(
    ({ request, response }) => `${request.method.toLowerCase()} ${request.path} ${response.status}`,
  )
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, { responses = {} }] of Object.entries(methods)) {
      for (const status of Object.keys(responses).filter((one) => one !== 'default')) {
        expect(covered).toContainEqual(
          expect.stringMatching(`^${method} ${path.replace(/{\w+}/, '[^/ ]+')} ${status}$`),
        )
      }
    }
  }
})
