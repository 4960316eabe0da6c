import type { ApiKeyRepository } from '../api-key-repository.ts'
import { type ApiKeyInput, type IssuedApiKey, newApiKey } from './new-api-key.ts'

/** Makes a key and stores its hash. The answer is the only place where the key itself is ever seen. Rejects with `api_key_invalid`. */
export type IssueApiKey = (draft: ApiKeyInput) => Promise<IssuedApiKey>

export function issueApiKeyIn(keys: ApiKeyRepository, now: () => Date): IssueApiKey {
  return async (draft) => {
    const issued = newApiKey(draft, now())
    await keys.add(issued.key)
    return issued
  }
}
