import type { ApiKey, KeyUse, NewApiKey } from '@pet-store/access'

/**
 * An API key as one flat row of text and numbers, for databases that have no types of their own:
 * times in milliseconds, scopes separated by spaces. An absent field is absent.
 */
export type ApiKeyRecord = Readonly<Record<string, string | number>>

type Stored = ApiKey & Pick<NewApiKey, 'sha256'>

/** What each field is. The compiler reports a field that is missing here. */
const FIELDS: Readonly<Record<keyof Stored, 'text' | 'time' | 'list'>> = {
  id: 'text',
  sha256: 'text',
  name: 'text',
  scopes: 'list',
  createdAt: 'time',
  createdBy: 'text',
  expiresAt: 'time',
  revokedAt: 'time',
  revokedBy: 'text',
  lastUsedAt: 'time',
  replacedBy: 'text',
}

/** A key as a row. One of bulk access too, without `replaces` and `overlapUntil`. */
export function apiKeyToRecord(key: NewApiKey): ApiKeyRecord {
  return Object.fromEntries(
    Object.entries(key)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const kind = FIELDS[name as keyof Stored]
        if (kind === 'time') return [name, value.getTime()]
        return [name, kind === 'list' ? value.join(' ') : value]
      }),
  )
}

/** The key of a row as the port returns it: without its hash. */
export function apiKeyFromRecord({ sha256: _, ...record }: ApiKeyRecord): ApiKey {
  const fields = Object.entries(record).map(([name, value]) => {
    const kind = FIELDS[name as keyof Stored]
    if (kind === 'time') return [name, new Date(value)]
    return [name, kind === 'list' ? String(value).split(' ').filter(Boolean) : value]
  })
  return Object.fromEntries(fields)
}

/** The row after `replace`; `undefined` if the key has a successor already. */
export function replacedRecord(
  record: ApiKeyRecord,
  successorId: string,
  until: Date,
): ApiKeyRecord | undefined {
  if (record['replacedBy'] !== undefined) return undefined
  const expiresAt = Math.min(Number(record['expiresAt'] ?? until), until.getTime())
  return { ...record, expiresAt, replacedBy: successorId }
}

/** The row after `revoke`; a row that was revoked before stays as it is. */
export function revokedRecord(record: ApiKeyRecord, at: Date, by?: string): ApiKeyRecord {
  if (record['revokedAt'] !== undefined) return record
  return { ...record, revokedAt: at.getTime(), ...(by !== undefined && { revokedBy: by }) }
}

/** The row after a use, with the later of both times. */
export function usedRecord(record: ApiKeyRecord, { at }: KeyUse): ApiKeyRecord {
  return { ...record, lastUsedAt: Math.max(Number(record['lastUsedAt'] ?? at), at.getTime()) }
}
