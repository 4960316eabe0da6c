import { randomBytes } from 'node:crypto'
import { invalid } from './access-error.ts'
import { type NewApiKey, SCOPES, type Scope } from './api-key.ts'
import { createApiKeyText, hashApiKey } from './api-key-text.ts'
import { quote } from './quote.ts'

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

const NAME = /^[^\p{Cc}\p{Surrogate}]{1,100}$/u

/** Throws `api_key_invalid` for a name that breaks the rule; `what` says whose it is. */
export function assertName(what: string, name: string): void {
  if (NAME.test(name) && name.trim() !== '') return
  throw invalid(
    `${what} must have 1 to 100 characters without control characters, and not be blank, ` +
      `got ${quote(name)}.`,
  )
}

/** A time `durationMs` later. Throws `api_key_invalid` if no `Date` can be that late. */
export function timeAfter(time: Date, durationMs: number): Date {
  const later = new Date(time.getTime() + durationMs)
  if (Number.isNaN(later.getTime()))
    throw invalid(`A key must end before the year 275760, got ${durationMs} ms from now.`)
  return later
}
