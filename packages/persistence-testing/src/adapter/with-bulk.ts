import type { BulkAccess } from '@pet-store/persistence'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { withBulkAccess } from './with-persistence.ts'

/**
 * Makes a database, and opens and closes it for bulk access around each work: an adapter may allow
 * one opening at a time.
 */
export function withBulk(
  work: (
    harness: PersistenceHarness,
    url: string,
    bulk: <Result>(use: (bulk: BulkAccess) => Promise<Result>) => Promise<Result>,
  ) => Promise<void>,
): HarnessCase['run'] {
  return async (harness) => {
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await work(harness, url, (use) => withBulkAccess(harness, url, use))
  }
}
