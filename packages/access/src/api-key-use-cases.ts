import { randomBytes } from 'node:crypto'
import {
  AccessError,
  type ApiKey,
  apiKeyState,
  invalid,
  type NewApiKey,
  SCOPES,
  type Scope,
} from './api-key.ts'
import type { ApiKeyRepository } from './api-key-repository.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
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

/** The content of a key that is to be issued; not validated yet. */
export interface ApiKeyInput {
  /** 1 to 100 characters without control characters. Several keys may have the same name. */
  readonly name: string
  /** Default: all scopes. */
  readonly scopes?: readonly Scope[] | undefined
  /** How long the key is valid; positive. Default: it never expires. */
  readonly lifetimeMs?: number | undefined
}

/** A new key. */
export interface IssuedApiKey {
  /** The text of the key. It cannot be shown again. */
  readonly text: string
  readonly key: NewApiKey
}

/** Who makes the changes, and by which clock. */
export interface ApiKeyUseCaseOptions {
  /**
   * The name of who creates, rotates and revokes, stored with each change. 1 to 100 characters
   * without control characters, else every change rejects with `api_key_invalid`. Default: none.
   */
  readonly by?: string
  /** Default: the clock of this machine. */
  readonly now?: () => Date
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

const NAME = /^[^\p{Cc}\p{Surrogate}]{1,100}$/u

/**
 * Makes a key without storing it, for callers that want invalid input rejected before they open a
 * repository; add its `key` to one afterwards. Throws `api_key_invalid`.
 */
export function createApiKey(
  { name, scopes = SCOPES, lifetimeMs }: ApiKeyInput,
  { by, now = () => new Date() }: ApiKeyUseCaseOptions = {},
): IssuedApiKey {
  assertName('The name of a key', name)
  if (by !== undefined) assertName('The name of who creates a key', by)
  if (scopes.length === 0 || scopes.some((scope) => !SCOPES.includes(scope))) {
    throw invalid(
      `A key must have at least one of the scopes ${SCOPES.join(', ')}, and no other, ` +
        `got ${scopes.length === 0 ? 'none' : scopes.map(quote).join(', ')}.`,
    )
  }
  if (lifetimeMs !== undefined && !(lifetimeMs > 0))
    throw invalid(`The lifetime of a key must be longer than 0 ms, got ${lifetimeMs} ms.`)
  const text = createApiKeyText()
  const createdAt = now()
  return {
    text,
    key: {
      id: `key_${randomBytes(8).toString('hex')}`,
      sha256: hashApiKey(text),
      name,
      // In the order of `SCOPES`, each at most once.
      scopes: SCOPES.filter((scope) => scopes.includes(scope)),
      createdAt,
      ...(by !== undefined && { createdBy: by }),
      ...(lifetimeMs !== undefined && { expiresAt: timeAfter(createdAt, lifetimeMs) }),
    },
  }
}

function assertName(what: string, name: string): void {
  if (NAME.test(name) && name.trim() !== '') return
  throw invalid(
    `${what} must have 1 to 100 characters without control characters, and not be blank, ` +
      `got ${quote(name)}.`,
  )
}

function timeAfter(time: Date, durationMs: number): Date {
  const later = new Date(time.getTime() + durationMs)
  if (Number.isNaN(later.getTime()))
    throw invalid(`A key must end before the year 275760, got ${durationMs} ms from now.`)
  return later
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
