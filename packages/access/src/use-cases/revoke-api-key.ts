import { AccessError } from '../access-error.ts'
import type { ApiKeyRepository } from '../api-key-repository.ts'

/** Makes a key worthless for good. Doing it twice is no error. Rejects with `api_key_not_found`. */
export type RevokeApiKey = (id: string) => Promise<void>

export function revokeApiKeyIn(keys: ApiKeyRepository, now: () => Date, onRevoke: (id: string) => void): RevokeApiKey {
  return async (id) => {
    if (!(await keys.revoke(id, now()))) {
      throw new AccessError('api_key_not_found', `There is no key ${JSON.stringify(id)}.`)
    }
    onRevoke(id)
  }
}
