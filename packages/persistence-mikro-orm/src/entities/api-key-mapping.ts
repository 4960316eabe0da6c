import type { ApiKey, NewApiKey, Scope } from '@pet-store/access'

/** A key with what its successor says about it; `null` for what is absent. */
export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly createdAt: bigint
  readonly createdBy: string | null
  readonly expiresAt: bigint | null
  readonly revokedAt: bigint | null
  readonly revokedBy: string | null
  readonly lastUsedAt: bigint | null
  readonly replacedBy: string | null
  readonly overlapUntil: bigint | null
}

/** Makes a key from a row without validating it. What is absent stays absent. */
export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  const expiresAt = earlier(row.expiresAt, row.overlapUntil)
  return {
    id: row.id,
    name: row.name,
    // The check constraint allows nothing else.
    scopes: row.scopes.split(' ') as Scope[],
    createdAt: timeFrom(row.createdAt),
    ...(row.createdBy !== null && { createdBy: row.createdBy }),
    ...(expiresAt !== null && { expiresAt: timeFrom(expiresAt) }),
    ...(row.revokedAt !== null && { revokedAt: timeFrom(row.revokedAt) }),
    ...(row.revokedBy !== null && { revokedBy: row.revokedBy }),
    ...(row.lastUsedAt !== null && { lastUsedAt: timeFrom(row.lastUsedAt) }),
    ...(row.replacedBy !== null && { replacedBy: row.replacedBy }),
  }
}

/** The properties of a new key. */
export function recordFromApiKey({ id, sha256, name, scopes, createdAt, createdBy, expiresAt }: NewApiKey) {
  return {
    id,
    sha256,
    name,
    // The check constraint rejects every other combination.
    scopes: scopes.join(' ') as Scope,
    createdAt: toMilliseconds(createdAt),
    createdBy: createdBy ?? null,
    expiresAt: expiresAt === undefined ? null : toMilliseconds(expiresAt),
  }
}

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
