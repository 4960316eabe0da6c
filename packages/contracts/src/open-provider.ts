import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiKeyRepository, createApiKeyUseCases, hashApiKey, type RateLimit } from '@pet-store/access'
import { createPetUseCases, type PetRepository } from '@pet-store/domain'
import type { Scene, SceneKey } from './scene.ts'

/** A whole provider, with a scene in its storage. */
export interface Provider {
  /** Takes connections; it need not listen. */
  readonly server: Server
  close(): Promise<void>
}

/** Opens a provider for one interaction. Who opened it closes it. */
export type OpenProvider = (scene: Scene) => Promise<Provider>

/** Of every provider, so that a key can be used up. */
export const RATE_LIMIT: RateLimit = { requests: 20, windowMs: 60 * 60 * 1000 }

const DAY_MS = 24 * 60 * 60 * 1000

/** Makes the keys of a scene good, or ends them again, as `pet-store keys` would. */
export async function addApiKeys(scene: Scene, keys: ApiKeyRepository): Promise<void> {
  const { revokeApiKey } = createApiKeyUseCases(keys)
  for (const [text, { scopes, end }] of scene.apiKeys) {
    const id = keyId(text)
    const createdAt = new Date(Date.now() - 2 * DAY_MS)
    const expiry = end === 'expired' ? { expiresAt: new Date(Date.now() - DAY_MS) } : {}
    await keys.add({ id, sha256: hashApiKey(text), name: 'contract', scopes, createdAt, ...expiry })
    if (end === 'revoked') await revokeApiKey(id)
  }
}

/** Repeats the additions of the past, through the use case that the service runs. */
export async function repeatCreations(scene: Scene, pets: PetRepository): Promise<void> {
  const { createPet } = createPetUseCases(pets)
  for (const { apiKey, idempotencyKey, draft } of scene.creations) {
    await createPet(draft, { idempotencyKey: { owner: keyId(apiKey), key: idempotencyKey, at: scene.now } })
  }
}

/** Uses keys over HTTP until they are refused. */
export async function useUpKeys(scene: Scene, server: Server): Promise<void> {
  const usedUp = [...scene.apiKeys].filter(([, { isUsedUp }]: [string, SceneKey]) => isUsedUp)
  if (usedUp.length === 0) return
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/pets?limit=1`
  for (const [text] of usedUp) {
    for (let used = 0; ; used += 1) {
      const { status } = await fetch(url, { headers: { Authorization: `Bearer ${text}` } })
      if (status === 429) break
      if (used > RATE_LIMIT.requests) throw new Error(`A key could be used ${used} times.`)
    }
  }
}

function keyId(text: string): string {
  return `contract_${hashApiKey(text).slice(0, 16)}`
}
