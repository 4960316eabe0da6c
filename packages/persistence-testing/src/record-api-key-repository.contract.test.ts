import {
  type ApiKeyRecord,
  type ApiKeyRecords,
  createCallGuard,
  createRecordApiKeys,
} from '@pet-store/persistence'
import { apiKeyRepositoryContract } from '@pet-store/persistence-testing'
import { it } from 'vitest'

/** Rows in memory, with a round trip in every call, so that others write between two. */
function createRows(): ApiKeyRecords {
  const rows = new Map<unknown, ApiKeyRecord>()
  const roundTrip = () => new Promise((resolve) => setImmediate(resolve))
  const findByHash = (sha256: unknown) => [...rows.values()].find((row) => row['sha256'] === sha256)
  return {
    find: (id) => roundTrip().then(() => rows.get(id)),
    findByHash: (sha256) => roundTrip().then(() => findByHash(sha256)),
    list: () => roundTrip().then(() => [...rows.values()]),
    async write(changes) {
      await roundTrip()
      for (const { before, after } of changes) {
        if (rows.get(after['id']) !== before) return before === undefined ? 'taken' : 'changed'
        if (before === undefined && findByHash(after['sha256']) !== undefined) return 'taken'
      }
      for (const { after } of changes) rows.set(after['id'], after)
      return 'stored'
    },
  }
}

for (const { name, run } of apiKeyRepositoryContract) {
  it(`createRecordApiKeys ${name}`, () =>
    run(createRecordApiKeys(createRows(), createCallGuard({ outcomeOf: () => undefined }))))
}
