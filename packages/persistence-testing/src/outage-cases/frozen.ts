import type { NewPet, PetRepository } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { type Call, everyCall, prepareCalls } from '../persistence-cases/every-call.ts'
import {
  aRandomMoment,
  CALL_LIMIT_MS,
  OPENING_LIMIT_MS,
  openForEachCall,
} from '../persistence-cases/outage.ts'
import { assertSeveralProcesses, type HarnessCase, memberOf } from '../persistence-harness.ts'
import { withPersistence } from '../with-persistence.ts'
import {
  type Attempt,
  attempt,
  expectStoredAsSaid,
  untilAvailable,
  writeUntil,
} from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }
/** How many openings write when the database stops, each at another step, and how often. */
const OPENINGS = 4
const FREEZINGS = 3
const WRITERS = 6
/** How often a case waits, for 20 to 30 milliseconds, while the database has stopped briefly. */
const BRIEF_WAITS = 10
/** In this time an adapter may repeat what it has said not to be stored, or not to know. */
const REPEATED_WITHIN_MS = 1_000

/** Calls that are under way when the database stops. */
export const frozenCases: readonly HarnessCase[] = casesOf(GROUP, {
  'frozen-writes: says what is known of each add that was under way when the database stopped':
    async (harness, scale) => {
      const freeze = memberOf(harness, 'freeze')
      const url = await harness.emptyDatabase()
      const together = harness.capabilities?.severalProcesses ? OPENINGS : 1
      const openings = [await harness.open({ url, mode: 'migrate' })]
      while (openings.length < together) openings.push(await harness.open({ url, mode: 'write' }))
      const attempts: Attempt[] = []
      try {
        for (let round = 0; round < FREEZINGS; round += 1) {
          const hasEnded = { value: false }
          const writing = openings.flatMap(({ pets }, index) =>
            Array.from({ length: WRITERS }, (_, writer) =>
              writeUntil(hasEnded, async (count) => {
                const name = `${round}-${index}-${writer}-${count}`
                // Beside one that a database rejects, others may be written in another way.
                if (writer === 0) addOneOutOfRange(pets, name)
                return attempt(pets, name, writer % 2 === 1)
              }),
            ),
          )
          await aRandomMoment(20, 80)
          // If an adapter never waits, the others are all between two adds.
          const last = openings.flatMap(({ pets }, index) =>
            [false, true].map((isKeyed) =>
              attempt(pets, `${round}-${index}-last-${isKeyed}`, isKeyed),
            ),
          )
          const { end } = await freeze(url)
          hasEnded.value = true
          try {
            const limitMs = 2 * CALL_LIMIT_MS * scale
            const written = await endWithin(limitMs, () => Promise.all([...writing, ...last]))
            attempts.push(...written.flat())
          } finally {
            await end()
          }
          await untilAvailable(() => (openings[0] as Persistence).pets.list({ limit: 1 }))
        }
      } finally {
        await Promise.allSettled(openings.map(async (opened) => opened.close()))
      }
      await withPersistence(harness, url, ({ pets }) =>
        expectStoredAsSaid(pets, attempts, REPEATED_WITHIN_MS),
      )
    },
  'closed-briefly: ends calls as without close if it is closed while the database stops briefly':
    async (harness, scale) => {
      const freeze = memberOf(harness, 'freeze')
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase()
      await withPersistence(harness, url, async (other) => {
        await prepareCalls(other, 'open')
        // Each alone: beside others a call may end because close waits for those.
        const alone = await openForEachCall(harness, url)
        const { end } = await freeze(url)
        const open = everyCall(other, 'open').map(failureOf)
        const closing = alone.map(({ call }) => failureOf(call))
        const close = Promise.allSettled(alone.map(async ({ one }) => one.close()))
        // One long wait could end with the turn in which the calls begin: code that runs for the
        // first time keeps the process busy that long.
        for (let waits = 0; waits < BRIEF_WAITS; waits += 1) await aRandomMoment(20, 30)
        await end()
        await endWithin(OPENING_LIMIT_MS * scale, () => close)
        // What an adapter rejects by itself while its database is silent has another reason.
        const results = await Promise.all(open)
        const ended = (await Promise.all(closing)).filter(
          (_, index) => results[index] === undefined,
        )
        expectEqual(
          ended.filter((failure) => failure !== undefined),
          [],
          'calls that another opening finished after the database had stopped briefly',
        )
      })
    },
})

/** Why a call has rejected; `undefined` if it has resolved. */
async function failureOf({ name, run }: Call): Promise<string | undefined> {
  return run().then(
    () => undefined,
    (error: unknown) => `${name} rejected with ${String(error)}`,
  )
}

/** A call whose value no database takes; it rejects, or stores another pet. */
function addOneOutOfRange(pets: PetRepository, name: string): void {
  const pet = { name: `${name} out of range`, categoryId: 2n ** 63n } as unknown as NewPet
  const key = { owner: 'shop', key: pet.name, fingerprint: name, at: new Date(0) }
  void (async () => pets.addWithKey(pet, key))().catch(() => undefined)
}
