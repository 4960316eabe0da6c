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

/** Where the rows of API keys are stored: what a database that compares and sets can do. */
export interface ApiKeyRecords {
  /** The row with this `id`. */
  find(id: string): Promise<ApiKeyRecord | undefined>
  /** The row with this `sha256`. */
  findByHash(sha256: string): Promise<ApiKeyRecord | undefined>
  /** Every row, in any order. */
  list(): Promise<readonly ApiKeyRecord[]>
  /**
   * Stores every row or none, durably, in one step that no other write comes between. Stores
   * nothing and returns `changed` if a row is no longer what it was, or `taken` if a new one has
   * the `id` or the `sha256` of another.
   */
  write(changes: readonly ApiKeyChange[]): Promise<'stored' | 'changed' | 'taken'>
}

/** A row that is stored in the place of another one. */
export interface ApiKeyChange {
  /** As it was read; absent for a new row. */
  readonly before?: ApiKeyRecord
  readonly after: ApiKeyRecord
}

/** With every call somebody else has written: more often than anybody rotates or uses a key. */
const MAX_ATTEMPTS = 100

/** The port of API keys on rows that can be compared and set. */
export function createRecordApiKeys(records: ApiKeyRecords, guard: CallGuard): ApiKeyRepository {
  /** Writes what the work makes of rows that it reads, again when they change meanwhile. */
  function update<Result>(
    work: () => Promise<{ readonly changes: readonly ApiKeyChange[]; readonly result: Result }>,
  ): Promise<Result> {
    return guard.write(async () => {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const { changes, result } = await work()
        const written = changes.length === 0 ? 'stored' : await records.write(changes)
        if (written === 'stored') return result
        if (written === 'taken') throw new Error('Another API key has this id or hash.')
      }
      throw persistenceUnavailable({ message: 'Others changed the API key all the time.' })
    })
  }

  /** The row after a change, if there is one. */
  async function changed(
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
      return update(async () => {
        const before = await records.find(id)
        if (before === undefined) throw new Error(`There is no API key ${id}.`)
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
        const changes = await changed(id, (record) => revokedRecord(record, at, by))
        return { changes, result: changes.length > 0 }
      }),
    async markUsed(uses) {
      const latest = new Map<string, Date>()
      for (const { id, at } of uses) if (at > (latest.get(id) ?? 0)) latest.set(id, at)
      await update(async () => {
        const found = [...latest].map(([id, at]) => {
          return changed(id, (record) => usedRecord(record, { id, at }))
        })
        return { changes: (await Promise.all(found)).flat(), result: undefined }
      })
    },
  }
}
