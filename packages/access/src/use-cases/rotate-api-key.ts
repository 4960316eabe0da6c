import { AccessError } from '../access-error.ts'
import { apiKeyState } from '../api-key.ts'
import type { ApiKeyRepository } from '../api-key-repository.ts'
import { type IssuedApiKey, newApiKey, timeAfter } from './new-api-key.ts'

/**
 * Makes the successor of a key, with its name, scopes and lifetime, and lets the old one live on for the overlap, in
 * milliseconds. Rejects with `api_key_not_found`, with `api_key_not_active` for one that is revoked or expired, and
 * with `api_key_replaced` for one that has a successor.
 */
export type RotateApiKey = (id: string, overlap: number) => Promise<IssuedApiKey>

export function rotateApiKeyIn(keys: ApiKeyRepository, now: () => Date): RotateApiKey {
  return async (id, overlap) => {
    const old = await keys.find(id)
    if (old === undefined) throw new AccessError('api_key_not_found', `There is no key ${JSON.stringify(id)}.`)
    if (old.replacedBy !== undefined) throw replaced(id, ` by ${old.replacedBy}`)
    const at = now()
    const state = apiKeyState(old, at)
    if (state !== 'active') {
      throw new AccessError('api_key_not_active', `The key ${id} is ${state}. Issue a new one instead.`)
    }
    const { name, scopes, createdAt, expiresAt } = old
    const lifetime = expiresAt && { lifetime: expiresAt.getTime() - createdAt.getTime() }
    const issued = newApiKey({ name, scopes, ...lifetime }, at)
    if (!(await keys.replace(id, issued.key, timeAfter(at, overlap)))) throw replaced(id)
    return issued
  }
}

function replaced(id: string, by = ''): AccessError {
  return new AccessError('api_key_replaced', `The key ${id} was rotated already${by}. Rotate its successor instead.`)
}
