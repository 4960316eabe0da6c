import { AccessError, invalid } from './access-error.ts'
import { type ApiKey, apiKeyState } from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import {
  type ApiKeyInput,
  type ApiKeyUseCaseOptions,
  assertName,
  createApiKey,
  type IssuedApiKey,
  timeAfter,
} from './create-api-key.ts'
import { quote } from './quote.ts'

/** Everything that can be done with API keys, except checking them (`createKeyCheck`). */
export interface ApiKeyUseCases {
  /**
   * Makes a key and stores its hash. The result is the only place where its text is ever shown.
   * Rejects with `api_key_invalid`.
   */
  readonly issueApiKey: (input: ApiKeyInput) => Promise<IssuedApiKey>

  /** Lists every key ever issued, in the order of creation. */
  readonly listApiKeys: () => Promise<readonly ApiKey[]>

  /**
   * Makes the successor of a key, with its name, scopes and lifetime. The old key stays valid for
   * at most `overlapMs` more milliseconds; 0 ends it at once. Rejects with `api_key_not_found`,
   * with `api_key_not_active` for a key that is revoked or expired, with `api_key_replaced` for a
   * key that already has a successor, and with `api_key_invalid` for a negative overlap.
   */
  readonly rotateApiKey: (id: string, overlapMs: number) => Promise<IssuedApiKey>

  /**
   * Makes a key invalid permanently. Revoking it again changes nothing and is not an error. Rejects
   * with `api_key_not_found`.
   */
  readonly revokeApiKey: (id: string) => Promise<void>
}

/** Makes the operations over one repository. */
export function createApiKeyUseCases(
  keys: ApiKeyRepository,
  options: ApiKeyUseCaseOptions = {},
): ApiKeyUseCases {
  const { by, now = () => new Date() } = options
  return {
    async issueApiKey(input) {
      const issued = createApiKey(input, options)
      await keys.add(issued.key)
      return issued
    },

    listApiKeys: () => keys.list(),

    async rotateApiKey(id, overlapMs) {
      const old = await keys.find(id)
      if (old === undefined) throw notFound(id)
      if (old.replacedBy !== undefined) throw replaced(id, old.replacedBy)
      const at = now()
      const state = apiKeyState(old, at)
      if (state !== 'active') {
        throw new AccessError(
          'api_key_not_active',
          `The key ${id} is ${state}. Issue a new one instead.`,
        )
      }
      const { name, scopes, createdAt, expiresAt } = old
      const lifetime = expiresAt && { lifetimeMs: expiresAt.getTime() - createdAt.getTime() }
      const issued = createApiKey({ name, scopes, ...lifetime }, { ...options, now: () => at })
      if (!(overlapMs >= 0))
        throw invalid(`The overlap of two keys must be 0 ms or longer, got ${overlapMs} ms.`)
      if (!(await keys.replace(id, issued.key, timeAfter(at, overlapMs)))) throw replaced(id)
      return issued
    },

    async revokeApiKey(id) {
      if (by !== undefined) assertName('The name of who revokes a key', by)
      if (!(await keys.revoke(id, now(), by))) throw notFound(id)
    },
  }
}

function notFound(id: string): AccessError {
  return new AccessError('api_key_not_found', `There is no key ${quote(id)}.`)
}

function replaced(id: string, successor?: string): AccessError {
  return new AccessError(
    'api_key_replaced',
    successor === undefined
      ? `The key ${id} was already rotated. Rotate its successor instead.`
      : `The key ${id} was already rotated. Rotate its successor ${successor} instead.`,
  )
}
