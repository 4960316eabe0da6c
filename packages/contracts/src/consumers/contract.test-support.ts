import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Matchers, Pact } from '@pact-foundation/pact'
import type { V4UnconfiguredInteraction } from '@pact-foundation/pact/src/v4/http/types.js'
import { createPetStoreClient, type PetStoreClient, PetStoreError } from '@pet-store/client'
import { afterAll, expect } from 'vitest'
import { CONTRACT_API_KEY } from '../contract-api-keys.ts'
import { PROVIDER } from '../provider-states.ts'

// Asked for by the native library, which reads it when a contract is written.
process.env['PACT_DO_NOT_TRACK'] = 'true'

const PACTS = join(import.meta.dirname, '../../pacts')

/** The contract of one consumer, written into a folder of its own. */
export interface Contract {
  /** Begins an interaction. */
  interaction(): V4UnconfiguredInteraction
  /** Expects that the whole contract is the committed one, or puts it there where the run may change it (`-u`). */
  expectCommitted(): Promise<void>
}

/** Begins the contract of a consumer. All its interactions belong into one test file: they share one pact file. */
export function beginContract(consumer: string): Contract {
  const dir = mkdtempSync(join(tmpdir(), 'pact-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const pact = new Pact({ consumer, provider: PROVIDER, dir, logLevel: 'error' })
  const file = `${consumer}-${PROVIDER}.json`
  return {
    interaction: () => pact.addInteraction(),
    async expectCommitted() {
      const isThere = existsSync(join(PACTS, file))
      const written = JSON.parse(readFileSync(join(dir, file), 'utf8')) as object
      await expect(
        `${JSON.stringify(written, undefined, 2)}\n`,
        `The contract is not the committed one: pnpm pact:update writes pacts/${file} anew; review and commit it`,
      ).toMatchFileSnapshot(join(PACTS, file))
      // Vitest writes a missing file of its own accord.
      expect(isThere, `pacts/${file} is new: review and commit it`).toBe(true)
    },
  }
}

/** The client that consumers use, at the stand-in for the service; with a `fetch` of their own where they have one. */
export function clientOf(
  { url }: { readonly url: string },
  apiKey: string | null = CONTRACT_API_KEY,
  fetch?: typeof globalThis.fetch,
): PetStoreClient {
  return createPetStoreClient({ baseUrl: url, retries: 0, fetch, ...(apiKey !== null && { apiKey }) })
}

/** What every request of the client carries. */
export function asKnown(apiKey: string = CONTRACT_API_KEY): Record<string, string> {
  return { Accept: 'application/json', Authorization: `Bearer ${apiKey}` }
}

/** The error that a call rejects with. */
export async function rejectionOf(call: Promise<unknown>): Promise<PetStoreError> {
  const reason = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(PetStoreError)
  const error = reason as PetStoreError
  expect(error.requestId).toBe(REQUEST_ID)
  return error
}

const REQUEST_ID = '0b7d5c1e-6c0e-4a52-8f0a-3f6f1c2a9d11'

/** What the client reads of the headers of every error answer. */
export const ERROR_HEADERS = {
  'Content-Type': 'application/json',
  'X-Request-Id': Matchers.regex('^[ -~]+$', REQUEST_ID),
}

/** The error body: its code and status are exact, its words may change. */
export function errorBody(code: string, status: number, message: string) {
  return { code, message: Matchers.string(message), status }
}
