import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import { aNewPet } from '../new-pets.ts'
import { assertSeveralProcesses, type HarnessCase } from '../persistence-harness.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }

/** A read comes between the parts of one of them, if it has parts. */
const MOVES = 60
const MOVES_MS = 5_000

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
})
