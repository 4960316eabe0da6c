import type { StoredApiKey } from '@pet-store/persistence'
import type { ApiKeyRow } from './api-key-entity.ts'

/** Every field, in the order in which they are returned. */
const FIELDS = Object.keys({
  id: true,
  sha256: true,
  name: true,
  scopes: true,
  createdAt: true,
  createdBy: true,
  expiresAt: true,
  revokedAt: true,
  revokedBy: true,
  lastUsedAt: true,
  replaces: true,
  overlapUntil: true,
} satisfies Record<keyof StoredApiKey, true>) as readonly (keyof StoredApiKey)[]

/** Returns plain data: what is `null` in the row is absent. */
export function apiKeyFromRow(row: ApiKeyRow): StoredApiKey {
  const present = FIELDS.filter((field) => row[field] !== null)
  return Object.fromEntries(present.map((field) => [field, row[field]])) as unknown as StoredApiKey
}

/** Returns a row with every column. */
export function rowFromApiKey(key: StoredApiKey): Omit<ApiKeyRow, 'successor'> {
  return Object.fromEntries(FIELDS.map((field) => [field, key[field] ?? null])) as unknown as Omit<
    ApiKeyRow,
    'successor'
  >
}
