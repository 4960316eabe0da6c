import { everyBulkCall } from '../adapter/every-bulk-call.ts'
import { allEnded, expectNotOpened } from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { openBulkAccessOf, withBulkAccess } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectRejection } from '../case/expectations.ts'
import { assertTested } from '../case/not-tested.ts'
import { endWithin } from '../case/time-limit.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'
import { aNewPet } from '../test-data/new-pets.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 240_000 }

/** "A minute", on a machine that is busy too. */
const CALL_LIMIT_MS = 90_000

/** A command ends, even if its database never responds. */
export const frozenBulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'bulk-frozen: rejects each call of bulk access within a minute while no response comes': async (
    harness,
    scale,
  ) => {
    const openBulkAccess = openBulkAccessOf(harness)
    const freeze = memberOf(harness, 'freeze')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const first = await openBulkAccess({ url, mode: 'migrate' })
    const opened = [first]
    try {
      await first.writePets([{ id: 1n, ...aNewPet() }])
      // Each has an opening of its own: an adapter may have one connection for all calls.
      const together = maxOpenings(harness, everyBulkCall(first, 2n).length)
      while (opened.length < together) opened.push(await openBulkAccess({ url }))
      const { end, readsWork } = await freeze(url)
      try {
        assertTested(
          !readsWork,
          'the database of this adapter can be read while it does not respond',
        )
        await allEnded([
          ...opened.map((bulk, index) => {
            const { name, run } = everyBulkCall(bulk, 2n)[index] ?? {
              name: 'countPets',
              run: bulk.countPets,
            }
            return expectRejection(
              () => endWithin(CALL_LIMIT_MS * scale, run, name),
              `${name} must reject within a minute`,
            )
          }),
          expectNotOpened(() => openBulkAccess({ url }), scale),
        ])
      } finally {
        await end()
      }
    } finally {
      await Promise.allSettled(opened.map(async (bulk) => bulk.close()))
    }
    await untilAvailable(() => withBulkAccess(harness, url, (bulk) => bulk.countPets()))
  },
})
