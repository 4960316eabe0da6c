import type { NewPet, PetRepository } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import { everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectWorksAgain } from '../adapter/expect-works.ts'
import {
  allEnded,
  aRandomMoment,
  CALL_LIMIT_MS,
  callUntil,
  expectNotDone,
  expectNotOpened,
  expectUnavailable,
  interrupted,
} from '../adapter/outage.ts'
import { untilAvailable } from '../adapter/until-available.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { endWithin } from '../case/time-limit.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'
import {
  type Attempt,
  attempt,
  attemptAll,
  expectStoredAsSaid,
  isAdd,
  writeUntil,
} from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/** How many openings write when the database stops, each at another step, and how often. */
const OPENINGS = 4

const FREEZINGS = 3

const WRITERS = 6

/** Each writes as often at the same time: an adapter may let the writes wait for each other. */
const MORE_LABELS = ['one', 'two', 'three', 'four', 'five', 'six']

/** More than an add has round trips. */
const STEPS = 8

/** In this time an adapter may repeat what it has said not to be stored, or not to know. */
const REPEATED_WITHIN_MS = 1_000

/** While the database does not respond every call ends in time, and says what is known of it. */
export const frozenCases: readonly HarnessCase[] = casesOf(GROUP, {
  'frozen: rejects every call in time, and loses and adds nothing, while no response comes':
    interrupted(async ({ persistence, interrupt: freeze, harness, url, scale }) => {
      const { pets } = persistence
      const before = await attempt(pets, 'before', true)
      for (const label of ['frozen', ...MORE_LABELS]) await prepareCalls(persistence, label)
      for (const { isRead, run } of everyCall(persistence, 'frozen')) if (isRead) await run()
      // These find the database frozen before they have a response, or after.
      const hasEnded = { value: false }
      const begun = everyCall(persistence, 'begun')
        .filter(({ isRead }) => isRead)
        .map((call) => awaitedLater(callUntil(hasEnded, call, scale)))
      const { end, readsWork = false } = await freeze().finally(() => {
        hasEnded.value = true
      })
      const others = everyCall(persistence, 'frozen').filter(
        ({ name, isRead }) => !(isRead && readsWork) && !isAdd(name),
      )
      const more = MORE_LABELS.flatMap((label) =>
        everyCall(persistence, label).filter(({ name, isRead }) => !isRead && !isAdd(name)),
      )
      const [attempts, notStored] = await allEnded([
        attemptAll(persistence, 'frozen', scale),
        expectUnavailable(others, scale),
        expectUnavailable(more, scale),
        ...begun,
        ...(readsWork ? [] : [expectNotOpened(() => harness.open({ url }), scale)]),
      ])
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(pets, [before, ...attempts], REPEATED_WITHIN_MS)
      await expectNotDone(persistence, 'frozen', notStored)
    }, 'freeze'),
  'frozen-writes: says what is known of each add that was under way when the database stopped':
    async (harness, scale) => {
      const freeze = memberOf(harness, 'freeze')
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
      const together = maxOpenings(harness, OPENINGS)
      const openings = [await harness.open({ url, mode: 'migrate' })]
      while (openings.length < together) openings.push(await harness.open({ url, mode: 'write' }))
      const attempts: Attempt[] = []
      try {
        for (let round = 0; round < FREEZINGS; round += 1) {
          // With all their connections: after an outage an adapter may have none.
          const before = openings.flatMap(({ pets }, index) =>
            Array.from({ length: 2 * STEPS }, (_, count) =>
              attempt(pets, `${round}-${index}-before-${count}`, true),
            ),
          )
          attempts.push(...(await Promise.all(before)))
          const hasEnded = { value: false }
          const writing = openings.flatMap(({ pets }, index) =>
            Array.from({ length: WRITERS }, (_, writer) =>
              writeUntil(hasEnded, async (count) => {
                const name = `${round}-${index}-${writer}-${count}`
                // Beside one that a database rejects, others may be written in another way.
                if (writer === 0) addOneOutOfRange(pets, name)
                return attempt(pets, name, writer % 2 === 1)
              }),
            ).map(awaitedLater),
          )
          await aRandomMoment(20, 80)
          // Spread over the time of one, which is longer beside the others, so that the database
          // stops at every step of an add.
          const begunMs = performance.now()
          attempts.push(await attempt((openings[0] as Persistence).pets, `${round}-timed`, true))
          const stepMs = (3 * (performance.now() - begunMs)) / STEPS
          const keyed: Promise<Attempt>[] = []
          for (let step = 0; step < STEPS; step += 1) {
            for (const [index, { pets }] of openings.entries())
              keyed.push(awaitedLater(attempt(pets, `${round}-${index}-step-${step}`, true)))
            await (stepMs < 1 ? aTurnLater() : wait(stepMs))
          }
          // If an adapter never waits, the others are all between two adds.
          const last = openings.flatMap(({ pets }, index) =>
            [false, true].map((isKeyed) =>
              awaitedLater(attempt(pets, `${round}-${index}-last-${isKeyed}`, isKeyed)),
            ),
          )
          const { end } = await freeze(url).finally(() => {
            hasEnded.value = true
          })
          try {
            const limitMs = 2 * CALL_LIMIT_MS * scale
            const all = () => Promise.all([...writing, ...keyed, ...last])
            const written = await endWithin(limitMs, all, 'An add that was under way')
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
})

/** A call whose value no database takes; it rejects, or stores another pet. */
function addOneOutOfRange(pets: PetRepository, name: string): void {
  const pet = { name: `${name} out of range`, categoryId: 2n ** 63n } as unknown as NewPet
  const key = { owner: 'shop', key: pet.name, fingerprint: name, at: new Date(0) }
  void (async () => pets.addWithKey(pet, key))().catch(() => undefined)
}
