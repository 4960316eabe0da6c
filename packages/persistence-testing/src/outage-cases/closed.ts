import type { Persistence } from '@pet-store/persistence'
import { type Call, everyCall, failureOf, prepareCalls } from '../adapter/every-call.ts'
import {
  allEnded,
  aRandomMoment,
  CALL_LIMIT_MS,
  HAVE_NO_CODE,
  OPENING_LIMIT_MS,
  UNAVAILABLE,
} from '../adapter/outage.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { awaitedLater } from '../case/awaited-later.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import { aTurnLater } from '../case/wait.ts'
import { memberOf } from '../harness/harness-members.ts'
import type { HarnessCase, PersistenceHarness } from '../harness/persistence-harness.ts'
import { assertSeveralProcesses, maxOpenings } from '../harness/several-processes.ts'
import { type Attempt, attempt, expectStoredAsSaid, isAdd } from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

const WRITERS = 12

/** How many openings are closed during an outage, each at another moment of its writes. */
const CLOSINGS = 3

/** How often a case waits, for 20 to 30 milliseconds, while the database has stopped briefly. */
const BRIEF_WAITS = 10

/** Closing ends every call, even while the database is unavailable. */
export const closedCases: readonly HarnessCase[] = casesOf(GROUP, {
  'closed: has what it acknowledged when it is closed while the database is unavailable': async (
    harness,
    scale,
  ) => {
    const interrupt = memberOf(harness, 'interrupt')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const attempts: Attempt[] = []
    const together = maxOpenings(harness, CLOSINGS)
    for (let round = 0; round < CLOSINGS / together; round += 1) {
      const openings = await Promise.all(
        Array.from({ length: together }, () => harness.open({ url, mode: 'migrate' })),
      )
      const writing: Promise<Attempt>[] = []
      for (const [index, { pets }] of openings.entries()) {
        attempts.push(await attempt(pets, `${round}-${index}-before`, true))
        for (let writer = 0; writer < WRITERS; writer += 1)
          writing.push(awaitedLater(attempt(pets, `${round}-${index}-${writer}`, writer % 2 === 1)))
        await aRandomMoment(0, 10)
      }
      const { end } = await interrupt(url)
      try {
        // It may say that it could not finish; it must not hang, nor let an add hang.
        await endWithin(
          OPENING_LIMIT_MS * scale,
          () => Promise.allSettled(openings.map(async (opened) => opened.close())),
          'close',
        )
        const all = () => Promise.all(writing)
        attempts.push(...(await endWithin(CALL_LIMIT_MS * scale, all, 'An add before close')))
      } finally {
        await end()
      }
    }
    await withPersistence(harness, url, ({ pets }) => expectStoredAsSaid(pets, attempts))
  },
  'closed-frozen: ends every call, then close, in time while the database does not respond': async (
    harness,
    scale,
  ) => {
    const freeze = memberOf(harness, 'freeze')
    const url = await harness.emptyDatabase({ mayHaveSchema: true })
    const opened = await harness.open({ url, mode: 'migrate' })
    const attempts = [await attempt(opened.pets, 'before', true)]
    await prepareCalls(opened, 'closing')
    // Each call alone too: beside others it may end in time because close waits for those.
    const alone = harness.capabilities?.severalProcesses ? await openForEachCall(harness, url) : []
    const { end } = await freeze(url)
    try {
      const writing = Array.from({ length: WRITERS }, (_, writer) =>
        attempt(opened.pets, `${writer}`, writer % 2 === 1),
      )
      const others = everyCall(opened, 'closing').filter(({ name }) => !isAdd(name))
      const adds = { name: 'every add', run: () => Promise.all(writing) }
      await allEnded([
        closeDuring(opened, [adds, ...others], scale),
        ...alone.map(({ one, call }) => closeDuring(one, [call], scale)),
      ])
      attempts.push(...(await Promise.all(writing)))
    } finally {
      await end()
    }
    await withPersistence(harness, url, ({ pets }) => expectStoredAsSaid(pets, attempts))
  },
  'closed-briefly: ends calls as without close if it is closed while the database stops briefly':
    async (harness, scale) => {
      const freeze = memberOf(harness, 'freeze')
      assertSeveralProcesses(harness)
      const url = await harness.emptyDatabase({ mayHaveSchema: true })
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
        await endWithin(OPENING_LIMIT_MS * scale, () => close, 'close')
        // What an adapter rejects by itself while its database does not respond has another reason.
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

/** An opening of its own for each call. */
async function openForEachCall(
  { open }: PersistenceHarness,
  url: string,
): Promise<readonly { readonly one: Persistence; readonly call: Call }[]> {
  const first = await open({ url })
  return Promise.all(
    everyCall(first, 'alone').map(async ({ name }, index) => {
      const one = index === 0 ? first : await open({ url })
      await prepareCalls(one, `alone ${index}`)
      const call = everyCall(one, `alone ${index}`).find((same) => same.name === name)
      return { one, call: call as Call }
    }),
  )
}

/** Begins calls and closes; expects every call to have ended, as the port says, when close has. */
async function closeDuring(
  opened: Persistence,
  calls: readonly Pick<Call, 'name' | 'run'>[],
  scale: number,
): Promise<void> {
  const all = Promise.allSettled(calls.map(({ run }) => run()))
  let haveEnded = false
  void all.then(() => {
    haveEnded = true
  })
  // It may say that it could not finish.
  const close = () => Promise.allSettled([opened.close()])
  await endWithin(OPENING_LIMIT_MS * scale, close, 'close')
  await aTurnLater()
  const names = calls.map(({ name }) => name).join(', ')
  expectEqual(haveEnded, true, `whether every call has ended when close has: ${names}`)
  for (const [index, result] of (await all).entries()) {
    const { name = '' } = calls[index] ?? {}
    if (result.status === 'fulfilled' || HAVE_NO_CODE.includes(name)) continue
    const { code } = UNAVAILABLE
    await expectRejection(
      () => Promise.reject(result.reason),
      `${name} must resolve, or reject as unavailable, while it is closed`,
      { code },
    )
  }
}
