/** Everything that a key can be allowed to do: to read pets, and to create them. */
export const SCOPES = ['pets:read', 'pets:write'] as const
export type Scope = (typeof SCOPES)[number]

/** An API key as it is administered: everything except its text, which only its holder has. */
export interface ApiKey {
  /** Public: for logs, lists and commands. */
  readonly id: string
  /** Who or what uses it. */
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  /**
   * The name of who created it, which is not verified. Who rotated a key is the creator of its
   * successor.
   */
  readonly createdBy?: string
  /**
   * The time from which on it is invalid: its own expiry, or the end of the overlap after a
   * rotation, whichever is first. Absent: it never expires.
   */
  readonly expiresAt?: Date
  readonly revokedAt?: Date
  readonly revokedBy?: string
  /** When it was last used; written about once a minute. */
  readonly lastUsedAt?: Date
  /** The id of its successor, after a rotation. */
  readonly replacedBy?: string
}

/** A key that is to be stored. */
export interface NewApiKey
  extends Pick<ApiKey, 'id' | 'name' | 'scopes' | 'createdAt' | 'createdBy' | 'expiresAt'> {
  /** The result of `hashApiKey` for the text of the key. */
  readonly sha256: string
}

/** A key that was found valid: who sent a request, and what it may do. */
export interface VerifiedKey {
  /** The public id of the key, suitable for logs and metrics. */
  readonly keyId: string
  readonly scopes: readonly Scope[]
}

/** Only an active key is valid. */
export type ApiKeyState = 'active' | 'expired' | 'revoked'

/** Returns the state of a key at a time. */
export function apiKeyState({ revokedAt, expiresAt }: ApiKey, at: Date): ApiKeyState {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= at ? 'expired' : 'active'
}
