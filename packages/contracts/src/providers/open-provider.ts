import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import {
  type ApiKeyRepository,
  createApiKeyUseCases,
  hashApiKey,
  type RateLimit,
} from '@pet-store/access'
import { createPetUseCases, type PetRepository } from '@pet-store/domain'
import type { Fixture, FixtureKey } from '../states/fixture.ts'

/** A complete provider that contains a fixture. */
export interface Provider {
  /** Accepts connections; it need not listen. */
  readonly server: Server
  close(): Promise<void>
}

/** Opens a provider for one interaction. The caller closes it. */
export type OpenProvider = (fixture: Fixture) => Promise<Provider>

/** The limit of every provider, so that a contract can use it up. */
export const RATE_LIMIT: RateLimit = { requests: 20, windowMs: 60 * 60 * 1000 }

const DAY_MS = 24 * 60 * 60 * 1000

/** Adds the keys of a fixture, and revokes the ones that it lists as revoked. */
export async function addApiKeys(fixture: Fixture, keys: ApiKeyRepository): Promise<void> {
  const { revokeApiKey } = createApiKeyUseCases(keys)
  for (const [text, { scopes, end }] of fixture.apiKeys) {
    const id = keyId(text)
    const createdAt = new Date(Date.now() - 2 * DAY_MS)
    const expiry = end === 'expired' ? { expiresAt: new Date(Date.now() - DAY_MS) } : {}
    await keys.add({ id, sha256: hashApiKey(text), name: 'contract', scopes, createdAt, ...expiry })
    if (end === 'revoked') await revokeApiKey(id)
  }
}

/** Creates the pets of earlier requests, through the use case that the service runs. */
export async function repeatCreations(fixture: Fixture, pets: PetRepository): Promise<void> {
  const { createPet } = createPetUseCases(pets)
  for (const { apiKey, idempotencyKey, input } of fixture.creations) {
    await createPet(input, {
      idempotencyKey: { owner: keyId(apiKey), key: idempotencyKey, at: fixture.now },
    })
  }
}

/** Uses keys over HTTP until the response is 429. */
export async function useUpKeys(fixture: Fixture, server: Server): Promise<void> {
  const usedUp = [...fixture.apiKeys].filter(([, { isUsedUp }]: [string, FixtureKey]) => isUsedUp)
  if (usedUp.length === 0) return
  const url = `${await listen(server)}/v1/pets?limit=1`
  for (const [text] of usedUp) {
    for (let used = 0; ; used += 1) {
      const { status } = await fetch(url, { headers: { Authorization: `Bearer ${text}` } })
      if (status === 429) break
      if (used > RATE_LIMIT.requests) throw new Error(`A key was used ${used} times without a 429.`)
    }
  }
}

/** Listens on a free port, unless the server does already. Returns its origin. */
export async function listen(server: NetServer): Promise<string> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function keyId(text: string): string {
  return `contract_${hashApiKey(text).slice(0, 16)}`
}
