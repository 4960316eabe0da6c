import assert from 'node:assert/strict'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses } from '../harness/several-processes.ts'
import { aNewApiKey } from '../test-data/new-api-keys.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }

/** A round makes the next one likelier to show something: connections are used in turn. */
const ROUNDS = 3
const ROUNDS_MS = 10_000
const MANY = 20_000
/** What bulk access writes takes about this time, but for a fast one. */
const WRITE_MS = 1_500
/** After one of these parts of the time the first items have arrived, and are not stored yet. */
const BEGUN = [0.2, 0.35, 0.5]
const FEW = 2_000
/** In this time a write has begun. */
const BEGUN_MS = 20

/** Calls that need what bulk access is just writing. */
export const bulkBesideCallsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside-writes: waits in calls that need what bulk access is writing, and rejects none': async (
    harness,
  ) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const apiKeys = namesOf(FEW).map((name) => aNewApiKey(name))
    const { id } = aNewApiKey('0')
    await withPersistence(harness, url, (opened) =>
      withBulkAccess(harness, url, async (bulk) => {
        const pet = await opened.pets.add(aNewPet())
        const keysOf = (owner: string, count: number) =>
          namesOf(count).map((name) => ({
            ...anIdempotencyKey({ owner, key: name }),
            petId: pet.id,
          }))
        const write = async (owner: string, count: number) => {
          const startMs = performance.now()
          await bulk.writeIdempotencyKeys(keysOf(owner, count))
          return performance.now() - startMs
        }
        const fewMs = await write('first', FEW)
        const count = Math.min(MANY, Math.ceil((FEW * WRITE_MS) / fewMs))
        const writeMs = await write('second', count)
        const endMs = performance.now() + ROUNDS_MS
        for (let round = 0; round < ROUNDS && performance.now() < endMs; round += 1) {
          await opened.pets.addWithKey(aNewPet(), anIdempotencyKey({ key: `own ${round}` }))
          const keys = keysOf(`round ${round}`, count)
          const writing = bulk.writeIdempotencyKeys(keys)
          // The key is new, so the database does not know yet whether it will be there.
          const [key = anIdempotencyKey()] = keys
          const repeats = BEGUN.map(async (begun) => {
            await wait(begun * writeMs)
            return opened.pets.addWithKey(aNewPet(), key)
          })
          for (const result of await Promise.allSettled([writing, ...repeats]))
            if (result.status === 'rejected') assert.fail(`${MUST}: ${String(result.reason)}`)
          // Whichever came first, bulk access has replaced the key, or the call was a repeat.
          expectEqual(
            await opened.pets.addWithKey(aNewPet(), key),
            { pet, isReplay: true },
            'a repeat with a key that bulk access wrote while calls used it',
          )
        }
        const { apiKeys: live } = opened
        if (live === undefined) return
        const changing = [
          bulk.writeApiKeys(apiKeys),
          bulk.writeApiKeys(apiKeys),
          wait(BEGUN_MS).then(() => live.markUsed([{ id, at: after(1) }])),
          wait(BEGUN_MS).then(() => live.revoke(id, after(1))),
        ]
        for (const result of await Promise.allSettled<unknown>(changing))
          if (result.status === 'rejected') assert.fail(`${MUST}: ${String(result.reason)}`)
      }),
    )
  },
})

const MUST = 'a call that needs what bulk access is writing must resolve, but rejected'

function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${index}`)
}
