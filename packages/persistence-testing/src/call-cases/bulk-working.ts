import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { expectBulkWorks } from '../adapter/expect-bulk-works.ts'
import { expectWorks } from '../adapter/expect-works.ts'
import { withBulk } from '../adapter/with-bulk.ts'
import { openBulkAccessOf } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { inGroups } from '../case/in-groups.ts'
import { aMomentLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const FIRST_ID = 1_000_000n
/** The ids of one call of every function. */
const IDS = 100n

const TOGETHER = 12
/** More than there are connections, or transactions that may stay open. */
const OFTEN = 110
const AT_ONCE = 10

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }

/** Every function works, whenever and however often it is called. */
export const bulkWorkingCases: readonly HarnessCase[] = casesOf(GROUP, {
  'at-once: gives calls of every function their own results, many of them at the same time':
    withBulk(async (_harness, _url, open) =>
      open(async (bulk) => {
        // The ids that are written are below, so that no pet that is added takes one of them.
        await bulk.movePetIdsPast(2n * FIRST_ID)
        for (const apart of [0, 1, 3]) {
          const first = 1 + apart * TOGETHER
          const work = async (index: number) => {
            // The same function at the same time, or others.
            for (let step = 0; step < apart * index; step += 1) await Promise.resolve()
            const id = idAt(first + index)
            await bulk.movePetIdsPast(FIRST_ID + id)
            await expectBulkWorks(bulk, id)
          }
          await Promise.all(Array.from({ length: TOGETHER }, (_, index) => work(index)))
        }
      }),
    ),
  'openings: works through each of two openings in the mode write, and closes nothing of others':
    withBulk(async (harness, url, open) => {
      await open((bulk) => bulk.movePetIdsPast(FIRST_ID))
      const openForWriting = () => openBulkAccessOf(harness)({ url, mode: 'write' })
      const opened = await Promise.all(
        Array.from({ length: maxOpenings(harness, 2) }, openForWriting),
      )
      const other = opened.length > 1 ? await harness.open({ url }) : undefined
      try {
        for (const [index, bulk] of opened.entries()) await expectBulkWorks(bulk, idAt(index + 1))
        await opened.shift()?.close()
        for (const bulk of opened) await expectBulkWorks(bulk, idAt(9))
        await opened.shift()?.close()
        if (other !== undefined) await expectWorks(other, 'beside')
      } finally {
        for (const bulk of opened) await bulk.close()
        await other?.close()
      }
    }),
  'often: works after more than a hundred calls of every function, and when none was made':
    withBulk(async (_harness, _url, open) =>
      open(async (bulk) => {
        await bulk.writePets([{ id: 1n, ...aNewPet() }])
        await bulk.movePetIdsPast(1n)
        for (const position of everyBulkCall(bulk, 0n).keys()) {
          const call = async (index: number) => everyBulkCall(bulk, idAt(index))[position]?.run()
          await inGroups(OFTEN, call, AT_ONCE)
        }
        // Beyond the ids of those that were added.
        await expectBulkWorks(bulk, idAt(2 * OFTEN))
        await aMomentLater()
        await expectBulkWorks(bulk, idAt(2 * OFTEN + 1))
      }),
    ),
})

const idAt = (index: number) => FIRST_ID + BigInt(index) * IDS
