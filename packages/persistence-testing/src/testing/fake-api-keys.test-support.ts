import type { ApiKey, ApiKeyRepository, KeyUse, NewApiKey } from '@pet-store/access'
import { broken } from './fault.test-support.ts'

/**
 * What is stored of a key beyond what the port returns; `ownExpiresAt` is the expiry that a
 * replaced key had.
 */
interface Hidden {
  readonly sha256: string
  readonly replaces?: string
  readonly overlapUntil?: Date
  readonly ownExpiresAt?: Date | undefined
}
export type ApiKeyRow = ApiKey & Hidden

/** A correct repository in small parts, each of which a fault can replace. */
export class FakeApiKeys implements ApiKeyRepository {
  readonly rows: ApiKeyRow[] = []

  toRow(key: NewApiKey): object {
    return { ...key, scopes: [...key.scopes], ...copiedDates(key) }
  }

  give({ sha256: _, replaces: _r, overlapUntil: _o, ownExpiresAt: _e, ...key }: ApiKeyRow): object {
    return { ...key, scopes: [...key.scopes], ...copiedDates(key) }
  }

  hasId(row: ApiKeyRow, id: string): boolean {
    return row.id === id
  }

  hasHash(row: ApiKeyRow, sha256: string): boolean {
    return row.sha256 === sha256
  }

  isTaken(key: NewApiKey): boolean {
    return this.rows.some(({ id, sha256 }) => id === key.id || sha256 === key.sha256)
  }

  order(one: ApiKeyRow, other: ApiKeyRow): number {
    return one.createdAt.getTime() - other.createdAt.getTime()
  }

  endOf(old: ApiKeyRow, until: Date): Date | undefined {
    return old.expiresAt !== undefined && old.expiresAt < until ? old.expiresAt : until
  }

  revokedAt(key: ApiKeyRow, at: Date): Date {
    return key.revokedAt ?? at
  }

  lastUsedAt(key: ApiKeyRow, at: Date): Date {
    return key.lastUsedAt !== undefined && key.lastUsedAt > at ? key.lastUsedAt : at
  }

  change(id: string, fields: (row: ApiKeyRow) => object): boolean {
    const index = this.rows.findIndex((row) => row.id === id)
    const row = this.rows[index]
    if (row !== undefined) this.rows[index] = { ...row, ...fields(row) }
    return row !== undefined
  }

  end(id: string, at: Date | undefined, replacedBy: string): boolean {
    return this.change(id, (row) => ({ expiresAt: at, replacedBy, ownExpiresAt: row.expiresAt }))
  }

  async add(key: NewApiKey): Promise<void> {
    if (this.isTaken(key)) broken()
    this.rows.push(this.toRow(key) as ApiKeyRow)
  }

  async replace(id: string, successor: NewApiKey, until: Date): Promise<boolean> {
    const old = this.rows.find((row) => row.id === id) ?? broken()
    if (old.replacedBy !== undefined) return false
    if (this.isTaken(successor)) broken()
    this.rows.push({
      ...this.toRow(successor),
      replaces: id,
      overlapUntil: until,
    } as unknown as ApiKeyRow)
    return this.end(id, this.endOf(old, until), successor.id)
  }

  async find(id: string): Promise<ApiKey | undefined> {
    const row = this.rows.find((candidate) => this.hasId(candidate, id))
    return row && (this.give(row) as ApiKey)
  }

  async findByHash(sha256: string): Promise<ApiKey | undefined> {
    const row = this.rows.find((candidate) => this.hasHash(candidate, sha256))
    return row && (this.give(row) as ApiKey)
  }

  async list(): Promise<readonly ApiKey[]> {
    return this.rows
      .toSorted((one, other) => this.order(one, other))
      .map((row) => this.give(row) as ApiKey)
  }

  async listChangedSince(time: Date): Promise<readonly ApiKey[]> {
    const createdAt = new Map(this.rows.map((row) => [row.id, row.createdAt]))
    return (await this.list()).filter((key) =>
      [key.createdAt, key.revokedAt, createdAt.get(key.replacedBy ?? '')].some(
        (at) => at !== undefined && at >= time,
      ),
    )
  }

  revokedBy(key: ApiKeyRow, by?: string): object {
    if (key.revokedAt !== undefined) return {}
    return by === undefined ? {} : { revokedBy: by }
  }

  async revoke(id: string, at: Date, by?: string): Promise<boolean> {
    return this.change(id, (row) => ({
      revokedAt: this.revokedAt(row, at),
      ...this.revokedBy(row, by),
    }))
  }

  async markUsed(uses: readonly KeyUse[]): Promise<void> {
    for (const { id, at } of uses)
      this.change(id, (row) => ({ lastUsedAt: this.lastUsedAt(row, at) }))
  }
}

function copiedDates(key: object): object {
  const dates = Object.entries(key).filter(([, value]) => value instanceof Date)
  return Object.fromEntries(dates.map(([name, value]) => [name, new Date(value as Date)]))
}
