import { apiKeysOf, withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { apiKeyOf } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { aTurnLater } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 60_000 }

/** A change comes into the middle of a write in some rounds only. */
const ROUNDS = 40
/** In steps shorter than those of a timer. */
const MOMENTS = 8
const MOMENT_MS = 0.25

/** What an open adapter changes while bulk access writes something else. */
export const keysBesideBulkCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside-changes: keeps each change of a key while bulk access writes the one that replaces it':
    async (harness) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, (opened) =>
        withBulkAccess(harness, url, async (bulk) => {
          const keys = apiKeysOf(opened)
          for (let round = 0; round < ROUNDS; round += 1) {
            const old = aNewApiKey(`${round}`)
            await keys.add(old)
            const successor = apiKeyOf(`${round} next`, {
              replaces: old.id,
              overlapUntil: after(10),
            })
            const calls = [
              () => bulk.writeApiKeys([successor, apiKeyOf(`${round} beside`)]),
              () => keys.revoke(old.id, after(5), 'Ada'),
              () => keys.markUsed([{ id: old.id, at: after(3) }]),
            ]
            await Promise.all(calls.map((call, index) => at((round + index * 3) % MOMENTS, call)))
            const { revokedAt, revokedBy, lastUsedAt, replacedBy } = (await keys.find(old.id)) ?? {}
            expectEqual(
              { revokedAt, revokedBy, lastUsedAt, replacedBy },
              { ...CHANGES, replacedBy: successor.id },
              'the changes of a key whose successor bulk access has written meanwhile',
            )
          }
        }),
      )
    },
})

const CHANGES = { revokedAt: after(5), revokedBy: 'Ada', lastUsedAt: after(3) }

async function at(moment: number, call: () => Promise<unknown>): Promise<void> {
  const beginMs = performance.now()
  while (performance.now() < beginMs + moment * MOMENT_MS) await aTurnLater()
  await call()
}
