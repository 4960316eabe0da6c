import type { ApiKey, Scope } from '@pet-store/access'

/** A key and its successor as a statement gives them: columns as the database names them, `null` for what is absent. */
export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly created_at: bigint
  readonly expires_at: bigint | null
  readonly revoked_at: bigint | null
  readonly last_used_at: bigint | null
  readonly replaced_by: string | null
  readonly overlap_until: bigint | null
}

/** Makes a key of a row without judging it. What is absent stays absent. */
export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  const expiresAt = earlier(row.expires_at, row.overlap_until)
  return {
    id: row.id,
    name: row.name,
    // The check constraint lets nothing else in.
    scopes: row.scopes.split(' ') as Scope[],
    createdAt: timeFrom(row.created_at),
    ...(expiresAt !== null && { expiresAt: timeFrom(expiresAt) }),
    ...(row.revoked_at !== null && { revokedAt: timeFrom(row.revoked_at) }),
    ...(row.last_used_at !== null && { lastUsedAt: timeFrom(row.last_used_at) }),
    ...(row.replaced_by !== null && { replacedBy: row.replaced_by }),
  }
}

/** The column of a time. */
export function toMilliseconds(time: Date): bigint {
  return BigInt(time.getTime())
}

function timeFrom(milliseconds: bigint): Date {
  return new Date(Number(milliseconds))
}

function earlier(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other
  return one < other ? one : other
}
