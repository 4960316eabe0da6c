import type { ApiKeyRepository, NewApiKey } from '@pet-store/access'
import { persistenceUnavailable } from '@pet-store/domain'
import {
  type ApiKeyRecord,
  apiKeyFromRecord,
  apiKeyToRecord,
  replacedRecord,
  revokedRecord,
  usedRecord,
} from './api-key-record.ts'
import type { CallGuard } from './call-guard.ts'

/**
 * The rows of API keys in a database that can replace a row only if it is unchanged. A row has the
 * fields that it was written with, and no others: each is a field of the key.
 */
export interface ApiKeyRecords {
  /**
   * The row with this `id`. `markUsed` calls it for all its keys at the same time, within one call
   * of the guard: if each is a request, find those of thousands of keys in one.
   */
  find(id: string): Promise<ApiKeyRecord | undefined>
  /** The row with this `sha256`. */
  findByHash(sha256: string): Promise<ApiKeyRecord | undefined>
  /** Every row, in any order. */
  list(): Promise<readonly ApiKeyRecord[]>
  /**
   * Makes every change or none, durably and atomically. Changes nothing and returns `changed` if a
   * row is no longer equal to its `before`. Changes nothing and returns `taken` if a new row has
   * the `id` or the `sha256` of another one, which may be among the changes. These may be
   * thousands, from `markUsed`.
   */
  write(changes: readonly ApiKeyChange[]): Promise<'stored' | 'changed' | 'taken'>
}

/** A new row, or one that replaces another row. */
export interface ApiKeyChange {
  /** The row as it was read; absent for a new row. */
  readonly before?: ApiKeyRecord
  readonly after: ApiKeyRecord
}

/**
 * How often an update is tried. An attempt fails only if another write has changed one of its rows
 * meanwhile, and keys are not changed often enough for this many failures.
 */
const MAX_ATTEMPTS = 100

/**
 * Implements `ApiKeyRepository` on `records`. `guard` gives each call its deadline and its outcome.
 */
export function createRecordApiKeys(records: ApiKeyRecords, guard: CallGuard): ApiKeyRepository {
  /**
   * Writes the changes that `work` makes of the rows that it reads. Repeats both when a row has
   * changed meanwhile. An `Error` as the result is thrown: not inside the call of the guard, which
   * would take it for one of the database.
   */
  async function update<Result>(
    work: () => Promise<{
      readonly changes: readonly ApiKeyChange[]
      readonly result: Result | Error
    }>,
  ): Promise<Result> {
    const updated = await guard.write(async () => {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const { changes, result } = await work()
        const written = changes.length === 0 ? 'stored' : await records.write(changes)
        if (written === 'stored') return result
        if (written === 'taken') return new Error('Another API key has this id or hash.')
      }
      throw persistenceUnavailable({
        message: `Other calls changed the API key during each of ${MAX_ATTEMPTS} attempts.`,
      })
    })
    if (updated instanceof Error) throw updated
    return updated
  }

  /** Reads a row and makes a change of it; no change if there is no such row. */
  async function changeOf(
    id: string,
    change: (record: ApiKeyRecord) => ApiKeyRecord,
  ): Promise<readonly ApiKeyChange[]> {
    const before = await records.find(id)
    return before === undefined ? [] : [{ before, after: change(before) }]
  }

  const read = (record: ApiKeyRecord | undefined) => record && apiKeyFromRecord(record)
  return {
    async add(key: NewApiKey) {
      const after = apiKeyToRecord(key)
      await update(async () => ({ changes: [{ after }], result: undefined }))
    },
    async replace(id, successor, until) {
      const next = { after: apiKeyToRecord(successor) }
      return update<boolean>(async () => {
        const before = await records.find(id)
        if (before === undefined)
          return { changes: [], result: new Error(`There is no API key ${id}.`) }
        const after = replacedRecord(before, successor.id, until)
        if (after === undefined) return { changes: [], result: false }
        return { changes: [{ before, after }, next], result: true }
      })
    },
    find: (id) => guard.read(async () => read(await records.find(id))),
    findByHash: (sha256) => guard.read(async () => read(await records.findByHash(sha256))),
    list: () =>
      guard.read(async () => {
        const keys = (await records.list()).map(apiKeyFromRecord)
        return keys.sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
      }),
    revoke: (id, at, by) =>
      update(async () => {
        const changes = await changeOf(id, (record) => revokedRecord(record, at, by))
        return { changes, result: changes.length > 0 }
      }),
    async markUsed(uses) {
      const latest = new Map<string, Date>()
      for (const { id, at } of uses) {
        const known = latest.get(id)
        if (known === undefined || at > known) latest.set(id, at)
      }
      await update(async () => {
        const found = [...latest].map(([id, at]) => {
          return changeOf(id, (record) => usedRecord(record, { id, at }))
        })
        return { changes: (await Promise.all(found)).flat(), result: undefined }
      })
    },
  }
}
