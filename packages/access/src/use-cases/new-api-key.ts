import { randomBytes } from 'node:crypto'
import { AccessError } from '../access-error.ts'
import { type NewApiKey, SCOPES, type Scope } from '../api-key.ts'
import { createApiKeyText, hashApiKey } from '../api-key-text.ts'

/** What somebody wants of a key; not judged yet. */
export interface ApiKeyInput {
  /** 1 to 100 characters, none of them a control character. Two keys may have the same. */
  readonly name: string
  /** All of them unless said otherwise. */
  readonly scopes?: readonly Scope[]
  /** How long the key is good, in milliseconds; for ever unless said otherwise. */
  readonly lifetime?: number
}

/** A key that was just made. */
export interface IssuedApiKey {
  /** The key itself. Nobody can show it again. */
  readonly text: string
  readonly key: NewApiKey
}

const NAME = /^[^\p{Cc}\p{Surrogate}]{1,100}$/u
const ID_BYTES = 8
/** The latest time that a date can hold, in milliseconds since 1970. */
const LAST_TIME = 8.64e15

/** Makes a key of a draft. Throws `api_key_invalid` with the field and the rule in its message. */
export function newApiKey({ name, scopes = SCOPES, lifetime }: ApiKeyInput, createdAt: Date): IssuedApiKey {
  if (!NAME.test(name) || name.trim() === '') {
    throw invalid('The name of a key must have 1 to 100 characters, none of them a control character.')
  }
  if (scopes.length === 0 || scopes.some((scope) => !SCOPES.includes(scope))) {
    throw invalid(`A key must have at least one of the scopes ${SCOPES.join(', ')}.`)
  }
  const text = createApiKeyText()
  const key = {
    id: `key_${randomBytes(ID_BYTES).toString('hex')}`,
    sha256: hashApiKey(text),
    name,
    // In the order of the list, each once.
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    createdAt,
  }
  return { text, key: lifetime === undefined ? key : { ...key, expiresAt: timeAfter(createdAt, lifetime) } }
}

/** A time so many milliseconds later. Throws `api_key_invalid` for what no date can hold. */
export function timeAfter(time: Date, milliseconds: number): Date {
  const later = time.getTime() + milliseconds
  if (!(milliseconds >= 0 && later <= LAST_TIME))
    throw invalid('A time span of a key must not be negative, nor end after the year 275760.')
  return new Date(later)
}

function invalid(message: string): AccessError {
  return new AccessError('api_key_invalid', message)
}
