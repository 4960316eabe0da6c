import assert from 'node:assert/strict'
import { withBulkAccess, withPersistence } from '../adapter/with-persistence.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { wait } from '../case/wait.ts'
import { aNewApiKey } from '../new-api-keys.ts'
import { anIdempotencyKey } from '../new-idempotency-keys.ts'
import { aNewPet } from '../new-pets.ts'
import { assertSeveralProcesses, type HarnessCase } from '../persistence-harness.ts'
import { after } from '../times.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 120_000 }

/** A round makes the next one likelier to show something: connections are used in turn. */
const ROUNDS = 3
/** Each waits for the one before, so that calls wait for all of them. */
const WRITES = 4
const ITEMS = 2_000
/** In this time the writes have begun. */
const BEGUN_MS = 20

/** Calls that need what bulk access is just writing. */
export const bulkBesideCallsCases: readonly HarnessCase[] = casesOf(GROUP, {
  'beside-writes: waits in calls that need what bulk access is writing, and rejects none': async (
    harness,
  ) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const keys = namesOf('', ITEMS).map((name) => anIdempotencyKey({ key: name }))
    const apiKeys = namesOf('', ITEMS).map((name) => aNewApiKey(name))
    const [key = anIdempotencyKey()] = keys
    await withPersistence(harness, url, (opened) =>
      withBulkAccess(harness, url, async (bulk) => {
        const pet = await opened.pets.add(aNewPet())
        const stored = keys.map((one) => ({ ...one, petId: pet.id }))
        await bulk.writeIdempotencyKeys(stored)
        await bulk.writeApiKeys(apiKeys)
        for (let round = 0; round < ROUNDS; round += 1) {
          await opened.pets.addWithKey(aNewPet(), anIdempotencyKey({ key: `own ${round}` }))
          const writes = (write: () => Promise<void>) => Array.from({ length: WRITES }, write)
          const keyWrites = writes(() => bulk.writeIdempotencyKeys(stored))
          await wait(BEGUN_MS)
          const repeats = namesOf('', 2).map(() => opened.pets.addWithKey(aNewPet(), key))
          for (const repeat of await Promise.all([...repeats, ...keyWrites]))
            if (repeat !== undefined)
              expectEqual(repeat, { pet, isReplay: true }, 'a repeat with a key that is written')
          if (opened.apiKeys === undefined) continue
          const { id } = apiKeys[0] ?? aNewApiKey('')
          const apiKeyWrites = writes(() => bulk.writeApiKeys(apiKeys))
          await wait(BEGUN_MS)
          const changes = [
            opened.apiKeys.markUsed([{ id, at: after(round) }]),
            opened.apiKeys.revoke(id, after(round)),
          ]
          const results = await Promise.allSettled([...changes, ...apiKeyWrites])
          for (const result of results)
            if (result.status === 'rejected') assert.fail(`${MUST}: ${String(result.reason)}`)
        }
      }),
    )
  },
})

const MUST = 'a change of an API key that bulk access is writing must resolve, but rejected'

function namesOf(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`)
}
