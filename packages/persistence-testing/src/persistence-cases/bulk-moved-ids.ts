import assert from 'node:assert/strict'
import { withBulk } from '../adapter/with-bulk.ts'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }

/** A read comes between the parts of one of them, if it has parts. */
const MOVES = 60
const MOVES_MS = 5_000

/** The greatest comes among smaller ones, and far enough that an adapter takes no id in between. */
const GREATEST_STEP = 100_000n
const STEPS: readonly bigint[] = [30_000n, GREATEST_STEP, 50_000n, 20_000n]
/** A call comes between the parts of another one in few rounds only. */
const ROUNDS = 1_000
const ROUNDS_MS = 2_000

/** A database may move its ids by adding a pet and deleting it, but nobody may see that. */
export const bulkMovedIdCases: readonly HarnessCase[] = casesOf(GROUP, {
  'moved-ids: shows and counts no pet that nobody added while ids are moved': async (harness) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    await withPersistence(harness, url, ({ pets }) =>
      withBulkAccess(harness, url, (bulk) =>
        withBulkAccess(harness, url, async (other) => {
          const pet = await pets.add(aNewPet())
          let hasEnded = false
          const move = async () => {
            const endMs = performance.now() + MOVES_MS
            for (let count = 1; count <= MOVES && performance.now() < endMs; count += 1)
              await bulk.movePetIdsPast(pet.id + BigInt(count))
          }
          const moving = awaitedLater(move().finally(() => (hasEnded = true)))
          while (!hasEnded) {
            expectEqual(await pets.list({ limit: 3 }), [pet], 'the pets while ids are moved')
            expectEqual(await other.countPets(), 1, 'the number of pets while ids are moved')
            await aTurnLater()
          }
          await moving
        }),
      ),
    )
  },
  'moved-at-once: moves ids past the greatest of several ids that come at the same time': withBulk(
    async (harness, url, withOpened) => {
      let last = 0n
      await withOpened(async (bulk) => {
        const endMs = performance.now() + ROUNDS_MS
        for (let round = 0; round < ROUNDS && performance.now() < endMs; round += 1) {
          const greatest = last + GREATEST_STEP
          const before = last
          await Promise.all(STEPS.map((step) => bulk.movePetIdsPast(before + step)))
          last = await bulk.lastPetId()
          assert.ok(last >= greatest, `lastPetId must be at least ${greatest}, but is ${last}`)
        }
      })
      await withPersistence(harness, url, async ({ pets }) => {
        const { id } = await pets.add(aNewPet())
        assert.ok(id > last, `the id of a new pet must be greater than ${last}, but is ${id}`)
      })
    },
  ),
})
