import { type Call, everyCall, prepareCalls } from '../adapter/every-call.ts'
import { expectWorks, expectWorksAgain } from '../adapter/expect-works.ts'
import {
  allEnded,
  CALL_LIMIT_MS,
  HAVE_NO_CODE,
  interrupted,
  UNAVAILABLE,
} from '../adapter/outage.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectRejection } from '../case/expectations.ts'
import { endWithin } from '../case/time-limit.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { attemptAll, expectStoredAsSaid, isAdd } from './attempts.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 60_000 }

/** A database that is out of capacity is unavailable. */
export const fullCases: readonly HarnessCase[] = casesOf(GROUP, {
  'full: rejects adds as unavailable while the database has no capacity left, and works again':
    interrupted(async ({ persistence, interrupt: fill, scale }) => {
      await prepareCalls(persistence, 'full')
      await expectWorks(persistence, 'before')
      const { end } = await fill()
      const others = everyCall(persistence, 'full').filter(({ name }) => !isAdd(name))
      const [attempts] = await allEnded([
        attemptAll(persistence, 'full', scale),
        ...others.map((call) => resolvedOrUnavailable(call, scale)),
      ])
      await end()
      await expectWorksAgain(persistence, 'afterwards')
      await expectStoredAsSaid(persistence.pets, attempts)
    }, 'fill'),
})

/** What needs no capacity may be done. */
async function resolvedOrUnavailable({ name, run }: Call, scale: number): Promise<void> {
  const ended = await endWithin(CALL_LIMIT_MS * scale, () => Promise.allSettled([run()]), name)
  for (const result of ended) {
    if (result.status === 'fulfilled' || HAVE_NO_CODE.includes(name)) return
    await expectRejection(
      () => Promise.reject(result.reason),
      `${name} must resolve, or reject as unavailable, while there is no capacity left`,
      { code: UNAVAILABLE.code },
    )
  }
}
