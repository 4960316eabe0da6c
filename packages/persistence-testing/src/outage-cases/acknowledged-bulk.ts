import assert from 'node:assert/strict'
import type { BulkAccess } from '@pet-store/persistence'
import { untilAvailable } from '../adapter/until-available.ts'
import { openBulkAccessOf } from '../adapter/with-persistence.ts'
import { apiKeyOf, importOf, keyOf, readEverything } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** What bulk access has written is on the disk of the database. */
export const acknowledgedBulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'bulk-acknowledged: has what bulk access has written if the database ends as soon as it resolves':
    async (harness) => {
      const openBulkAccess = openBulkAccessOf(harness)
      const interrupt = memberOf(harness, 'interrupt')
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const open = () => openBulkAccess({ url, mode: 'migrate' })
      let bulk = await open()
      try {
        // One at a time: what a later one writes to the disk may have an earlier one with it.
        for (const [write, lastId] of WRITES) {
          await write(bulk)
          const { end } = await interrupt(url)
          await end()
          await Promise.allSettled([bulk.close()])
          bulk = await untilAvailable(open)
          // A sequence may skip ids when its database ends.
          const last = await bulk.lastPetId()
          assert.ok(
            last >= lastId,
            `the last id after an interruption must be at least ${lastId}, got ${last}`,
          )
        }
        const [pets, count, , imports, keys, apiKeys] = await readEverything(bulk)
        const counts = [pets, imports, keys, apiKeys].map((items) => (items as unknown[]).length)
        expectEqual(
          [count, ...counts],
          [1, 1, 1, 1, 1],
          'countPets, and the number of what was written before interruptions',
        )
      } finally {
        await bulk.close()
      }
    },
})

/** What bulk access writes, and the least that the last id of a pet is afterwards. */
const WRITES: readonly (readonly [write: (bulk: BulkAccess) => Promise<void>, lastId: bigint])[] = [
  // Several times: a database that does not wait for its disk may have written one by chance.
  [(bulk) => bulk.movePetIdsPast(97n), 97n],
  [(bulk) => bulk.writePets([{ id: 7n, ...aNewPet() }]), 97n],
  [(bulk) => bulk.movePetIdsPast(98n), 98n],
  [(bulk) => bulk.writePetImports([importOf()]), 98n],
  [(bulk) => bulk.movePetIdsPast(99n), 99n],
  [(bulk) => bulk.writeIdempotencyKeys([keyOf('shop', 'key', 7n)]), 99n],
  [(bulk) => bulk.writeApiKeys([apiKeyOf('kiosk')]), 99n],
]
