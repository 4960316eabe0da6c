/** Everything that a key can be allowed to do: look at pets, and add them. */
export const SCOPES = ['pets:read', 'pets:write'] as const
export type Scope = (typeof SCOPES)[number]

/** An API key as it is administered: all but the key itself, which only its holder has. */
export interface ApiKey {
  /** Public: for logs, lists and commands. */
  readonly id: string
  /** Who or what uses it, in words. */
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly createdAt: Date
  /** From then on it is refused: its own expiry, or the end of the overlap once it was rotated, whichever is first. */
  readonly expiresAt?: Date
  readonly revokedAt?: Date
  /** About when it was last used; it may lag behind by a minute. */
  readonly lastUsedAt?: Date
  /** The id of its successor, once it was rotated. */
  readonly replacedBy?: string
}

/** A key on its way into storage. */
export interface NewApiKey extends Pick<ApiKey, 'id' | 'name' | 'scopes' | 'createdAt' | 'expiresAt'> {
  /** What `hashApiKey` made of the key. */
  readonly sha256: string
}

/** Only an active key is good. */
export type ApiKeyState = 'active' | 'expired' | 'revoked'

/** What a key is at a time. */
export function apiKeyState({ revokedAt, expiresAt }: ApiKey, at: Date): ApiKeyState {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= at ? 'expired' : 'active'
}
