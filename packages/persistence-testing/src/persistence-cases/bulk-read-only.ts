import type { BulkAccess } from '@pet-store/persistence'
import { withBulk } from '../adapter/with-bulk.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { importOf, readEverything } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const KEY = anIdempotencyKey()

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** Bulk access that is opened for reading alone reads everything. */
export const bulkReadOnlyCases: readonly HarnessCase[] = casesOf(GROUP, {
  'read: reads everything when it is opened for reading alone, as an export opens it': withBulk(
    async (harness, url, bulk) => {
      const stored = await bulk(async (open) => {
        await open.writePets([{ id: 7n, ...aNewPet() }])
        await open.movePetIdsPast(9n)
        await open.writePetImports([importOf()])
        await open.writeIdempotencyKeys([{ ...KEY, petId: 7n }])
        await open.writeApiKeys([aNewApiKey('kiosk', { createdBy: 'Ada' })])
        return readEverything(open)
      })
      // As a service is started between two attempts of an import.
      await withPersistence(harness, url, async (opened) => opened.check())
      const reading = (await harness.openBulkAccess?.({ url, mode: 'read' })) as BulkAccess
      try {
        expectEqual(
          await readEverything(reading),
          stored,
          'bulk access in the mode read must read what it read in the mode migrate',
        )
      } finally {
        await reading.close()
      }
      const counts = stored.map((items) => (Array.isArray(items) ? items.length : items))
      expectEqual(counts, [1, 1, 9n, 1, 1, 1], 'the number of everything that was written')
    },
  ),
})
