import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Matchers, Pact } from '@pact-foundation/pact'
import { createPetStoreClient, type PetStoreClient, PetStoreError } from '@pet-store/client'
import { expect, it } from 'vitest'
import { PACTS } from '../sources/pact-files.ts'
import { CONTRACT_API_KEY, PROVIDER, type ProviderState } from '../states/provider-states.ts'

// Read by the native library when it writes a contract.
process.env['PACT_DO_NOT_TRACK'] = 'true'

/** Header fields, with matchers. */
type Fields = Record<string, string | ReturnType<typeof Matchers.regex>>

const REQUEST_ID = '0b7d5c1e-6c0e-4a52-8f0a-3f6f1c2a9d11'

/** The headers of every response. */
const ALWAYS: Fields = {
  'Cache-Control': 'no-store',
  'X-Request-Id': Matchers.regex('^[ -~]+$', REQUEST_ID),
}

/** Query parameters, with values that a provider state gives. */
export type Query = Record<string, string | ReturnType<typeof fromState>>

/**
 * A value that the provider state gives as this parameter; the consumer's own test sees the
 * example.
 */
export function fromState(parameter: string, example: string) {
  return Matchers.fromProviderState(`\${${parameter}}`, example)
}

export interface InteractionRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly query?: Query
  readonly body?: unknown
}

/** One interaction. A body may be the text of JSON, so that integers stay exact. */
interface Interaction {
  readonly given?: readonly (readonly [
    state: ProviderState,
    parameters?: Record<string, string | number>,
  ])[]
  readonly request: InteractionRequest
  /** Without a body, and so without a `Content-Type`, where `body` is absent. */
  readonly response: { readonly status: number; readonly headers?: Fields; readonly body?: unknown }
  /** The key of the client; `null` for none. */
  readonly apiKey?: string | null | undefined
  /** A `fetch` that the consumer passes to the client. */
  readonly fetch?: typeof fetch
  /** What the consumer does. */
  readonly call: (client: PetStoreClient) => Promise<unknown>
  /** What that resolves to; after an error response it rejects with its code and status. */
  readonly returns?: unknown
}

/** The contract of one consumer, written into a folder of its own. */
export interface Contract {
  /**
   * Adds an interaction, with a test that calls a stand-in for the service, which responds as it
   * says.
   */
  interaction(description: string, interaction: Interaction): void
  /** Adds a test that the contract is the committed one, or writes that with `vitest --update`. */
  expectCommitted(): void
}

/**
 * Begins the contract of a consumer. All its interactions must be in one test file, which writes
 * one pact file.
 */
export function beginContract(consumer: string): Contract {
  const dir = mkdtempSync(join(tmpdir(), 'pact-'))
  const pact = new Pact({ consumer, provider: PROVIDER, dir, logLevel: 'error' })
  const file = `${consumer}-${PROVIDER}.json`
  return {
    interaction(description, { given = [], request, response, ...consumed }) {
      it(`${consumer} calls the service: ${description}`, async () => {
        const begun = pact.addInteraction()
        for (const [state, parameters] of given) {
          if (parameters === undefined) begun.given(state)
          else begun.given(state, parameters)
        }
        await begun
          .uponReceiving(description)
          .withRequest(request.method, request.path, (builder) => {
            builder.headers(request.headers ?? {}).query(request.query ?? {})
            if (request.body !== undefined) builder.jsonBody(request.body)
          })
          .willRespondWith(response.status, (builder) => {
            builder.headers({ ...ALWAYS, ...response.headers })
            if (response.body === undefined) return
            builder.headers({ 'Content-Type': 'application/json' }).jsonBody(response.body)
          })
          .executeTest(({ url }) => expectResult(url, response, consumed))
      })
    },
    expectCommitted() {
      it(`the contract of ${consumer} is the committed one`, async () => {
        await expect(
          `${readFileSync(join(dir, file), 'utf8').trimEnd()}\n`,
          `The contract is not the committed one: pnpm interface:update writes pacts/${file}; ` +
            'review and commit it',
        ).toMatchFileSnapshot(join(PACTS, file))
      })
    },
  }
}

async function expectResult(
  baseUrl: string,
  { status, body }: Interaction['response'],
  {
    apiKey = CONTRACT_API_KEY,
    fetch,
    call,
    returns,
  }: Pick<Interaction, 'apiKey' | 'fetch' | 'call' | 'returns'>,
): Promise<void> {
  const client = createPetStoreClient({
    baseUrl,
    retries: 0,
    fetch,
    ...(apiKey !== null && { apiKey }),
  })
  if (status < 400) return expect(await call(client)).toEqual(returns)
  const error: unknown = await call(client).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(PetStoreError)
  const { code } = body as { readonly code: string }
  const retryAfterMs = status === 429 ? 5_000 : undefined
  expect(error).toMatchObject({ code, status, retryAfterMs, requestId: REQUEST_ID })
}

/** The headers of every request of the client. */
export function clientHeaders(apiKey: string = CONTRACT_API_KEY): Record<string, string> {
  return { Accept: 'application/json', Authorization: `Bearer ${apiKey}` }
}

/** Any text but an empty one. */
function someText(example: string) {
  return Matchers.regex('^.*\\S.*$', example)
}

/** An error response: its code and status are exact, its message may change. */
export function errorResponse(status: number, code: string, message: string, headers: Fields = {}) {
  return { status, headers, body: { code, message: someText(message), status } }
}
