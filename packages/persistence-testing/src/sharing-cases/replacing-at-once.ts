import type { ApiKeyRepository } from '@pet-store/access'
import { apiKeysOf, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { causedBy, expectEqual } from '../case/expectations.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey, withoutHash } from '../test-data/new-api-keys.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.shared', timeLimitMs: 60_000 }

const ROUNDS = 12

/** Several openings replace one key. */
export const replacingAtOnceCases: readonly HarnessCase[] = casesOf(GROUP, {
  'successor: replaces a key once when two openings do so with one successor at the same time':
    async (harness) => {
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      await withPersistence(harness, url, (one) =>
        withPersistence(harness, url, async (other) => {
          for (let round = 0; round < ROUNDS; round += 1)
            await expectReplacedOnce(`${round}`, [apiKeysOf(one), apiKeysOf(other)])
        }),
      )
    },
})

/** The second call returns `false`, although the id and the hash of its successor are taken. */
async function expectReplacedOnce(
  name: string,
  openings: readonly ApiKeyRepository[],
): Promise<void> {
  const old = aNewApiKey(name)
  const successor = aNewApiKey(`${name} next`)
  await openings[0]?.add(old)
  const results = await Promise.allSettled(
    openings.map((keys) => keys.replace(old.id, successor, after(10))),
  )
  const rejected = results.find((result) => result.status === 'rejected')
  const replaced = results.map((result) => result.status === 'fulfilled' && result.value)
  causedBy(rejected?.reason, () =>
    expectEqual(
      [rejected === undefined, ...replaced.toSorted()],
      [true, false, true],
      'whether neither call of replace rejects, and what the two return',
    ),
  )
  const ended = { ...withoutHash(old), expiresAt: after(10), replacedBy: successor.id }
  for (const keys of openings)
    expectEqual(await keys.find(old.id), ended, 'the key that was replaced')
}
