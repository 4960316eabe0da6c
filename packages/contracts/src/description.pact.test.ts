import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as comparison from '@pactflow/openapi-pact-comparator'
import { describe, expect, it } from 'vitest'
import { readOwnPacts } from './sources/pact-files.ts'

// Its declarations omit the file extensions that Node's resolution needs, so TypeScript finds nothing in them.
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object
  }) => {
    compare(pact: object): AsyncIterable<{ readonly type: string; readonly code: string; readonly message: string }>
  }
}

interface Interaction {
  readonly request: {
    readonly method: string
    path: string
    query?: Record<string, string[]>
    body?: { content: object }
  }
  readonly response: { status: number; readonly headers: Record<string, string[]>; readonly body: { content: object } }
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
const pacts = readOwnPacts().map(({ consumer, text }) => ({ consumer, pact: JSON.parse(text) as Pact }))
const everyInteraction = pacts.flatMap(({ pact }) => pact.interactions)

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

describe('docs/openapi.json', () => {
  it.each(pacts)('docs/openapi.json allows everything in the contract of $consumer', async ({ pact }) => {
    expect(await differences(pact)).toEqual([])
  })

  const CHANGES: readonly { what: string; code: string; in: number; change: (interaction: Interaction) => void }[] = [
    {
      what: 'a field of a response that is not described',
      code: 'response.body.incompatible',
      in: 200,
      change: ({ response }) => Object.assign([response.body.content].flat()[0] ?? {}, { colour: 'brown' }),
    },
    {
      what: 'an error field that is not described',
      code: 'response.body.incompatible',
      in: 404,
      change: ({ response }) => Object.assign(response.body.content, { hint: 'look elsewhere' }),
    },
    {
      what: 'a status that is not described',
      code: 'response.status.default',
      in: 201,
      change: ({ response }) => {
        response.status = 202
      },
    },
    {
      what: 'an error status that is not described, with an error body',
      code: 'response.status.default',
      in: 404,
      change: ({ response }) => {
        response.status = 409
      },
    },
    {
      what: 'a header that is not described',
      code: 'response.header.unknown',
      in: 200,
      change: ({ response }) => Object.assign(response.headers, { 'X-Total-Count': ['3'] }),
    },
    {
      what: 'a path that is not described',
      code: 'request.path-or-method.unknown',
      in: 200,
      change: ({ request }) => {
        request.path = '/dogs'
      },
    },
    {
      what: 'an invalid parameter',
      code: 'request.query.incompatible',
      in: 200,
      change: ({ request }) => {
        request.query = { status: ['gone'] }
      },
    },
    {
      what: 'an invalid body in a request with a successful response',
      code: 'request.body.incompatible',
      in: 201,
      change: ({ request }) => Object.assign(request.body?.content ?? {}, { categoryId: 'seven' }),
    },
  ]

  it.each(CHANGES)('docs/openapi.json does not allow $what', async ({ code, in: status, change }) => {
    const interaction = structuredClone(everyInteraction.find((one) => one.response.status === status && hasItems(one)))
    if (interaction === undefined) throw new Error(`no interaction with ${status}`)
    const whole = pacts[0]?.pact
    expect(await differences({ ...whole, interactions: [interaction] })).toEqual([])
    change(interaction)
    expect((await differences({ ...whole, interactions: [interaction] })).map((one) => one.split(':')[0])).toContain(
      code,
    )
  })
})

function hasItems({ response }: Interaction): boolean {
  return !Array.isArray(response.body.content) || response.body.content.length > 0
}

it('every documented status of every operation has an interaction in our own contracts', () => {
  const documented = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, responses }]) =>
      Object.keys(responses ?? {})
        .filter((status) => status !== 'default')
        .map((status) => ({
          name: `${operationId} ${status}`,
          method,
          path: new RegExp(`^${path.replace(/{\w+}/, '[^/]+')}$`),
          status,
        })),
    ),
  )
  const missing = documented.filter(
    ({ method, path, status }) =>
      !everyInteraction.some(
        ({ request, response }) =>
          request.method.toLowerCase() === method && path.test(request.path) && String(response.status) === status,
      ),
  )
  expect(missing.map(({ name }) => name)).toEqual([])
})
