import type { ApiKeyRepository } from '@pet-store/access'
import type { BulkAccess } from '@pet-store/persistence'
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
  'beside-changes: keeps each change, and adds no hash twice, while bulk access writes API keys':
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
            await expectStoredOnce(keys, bulk, round)
          }
        }),
      )
    },
})

/** A key that is added and one that bulk access writes at the same time have the same hash. */
async function expectStoredOnce(
  keys: ApiKeyRepository,
  bulk: BulkAccess,
  round: number,
): Promise<void> {
  const written = apiKeyOf(`${round} written`)
  const added = aNewApiKey(`${round} added`, { sha256: written.sha256 })
  const calls = [() => bulk.writeApiKeys([written]), () => keys.add(added)]
  const results = await Promise.allSettled(
    calls.map((call, index) => at((round + index * 3) % MOMENTS, call)),
  )
  const stored = [written, added].filter((_, index) => results[index]?.status === 'fulfilled')
  const found = await Promise.all([written, added].map(({ id }) => keys.find(id)))
  const byHash = await keys.findByHash(written.sha256)
  expectEqual(
    [stored.length, found.flatMap((key) => key?.id ?? []), byHash?.id],
    [1, stored.map(({ id }) => id), stored[0]?.id],
    'how many calls that store one hash at the same time resolve, and whose keys are found',
  )
}

const CHANGES = { revokedAt: after(5), revokedBy: 'Ada', lastUsedAt: after(3) }

async function at(moment: number, call: () => Promise<unknown>): Promise<void> {
  const beginMs = performance.now()
  while (performance.now() < beginMs + moment * MOMENT_MS) await aTurnLater()
  await call()
}
