import type { ApiKeyRepository, CreateRateLimiter } from '@pet-store/access'
import type { BulkAccess, OpenBulkAccess, Persistence } from '@pet-store/persistence'
import { assertTested } from '../case/not-tested.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'

/** Opens a database, creating its schema if needed, and closes it after the work. */
export async function withPersistence<Result>(
  { open }: PersistenceHarness,
  url: string,
  work: (persistence: Persistence) => Promise<Result>,
): Promise<Result> {
  const persistence = await open({ url, mode: 'migrate' })
  try {
    return await work(persistence)
  } finally {
    await persistence.close()
  }
}

/** The same for bulk access. */
export async function withBulkAccess<Result>(
  harness: PersistenceHarness,
  url: string,
  work: (bulk: BulkAccess) => Promise<Result>,
): Promise<Result> {
  const bulk = await openBulkAccessOf(harness)({ url, mode: 'migrate' })
  try {
    return await work(bulk)
  } finally {
    await bulk.close()
  }
}

/** The function that opens an adapter for bulk access. */
export function openBulkAccessOf({ openBulkAccess }: PersistenceHarness): OpenBulkAccess {
  assertTested(openBulkAccess, 'the adapter has no bulk access')
  return openBulkAccess
}

/** The API keys of an open adapter. */
export function apiKeysOf({ apiKeys }: Persistence): ApiKeyRepository {
  assertTested(apiKeys, 'the adapter stores no API keys')
  return apiKeys
}

/** Called on what was opened, which may be an instance of a class. */
export function rateLimiterOf(opened: Persistence): CreateRateLimiter {
  assertTested(opened.createRateLimiter, 'the adapter counts no requests')
  return (limit) => (opened as Required<Persistence>).createRateLimiter(limit)
}
