import assert from 'node:assert/strict'
import { everyCall } from '../adapter/every-call.ts'
import { expectWorks, expectWorksAgain } from '../adapter/expect-works.ts'
import { interrupted } from '../adapter/outage.ts'
import { expectAvailable, untilAvailable } from '../adapter/until-available.ts'
import { casesOf } from '../case/contract-case.ts'
import { wait } from '../case/wait.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'

const GROUP = { group: 'persistence.unavailable', timeLimitMs: 120_000 }

/**
 * An adapter must not stop connecting after a hundred attempts, ten a second, nor wait longer and
 * longer: one that doubles its pauses without a limit cannot make an attempt in the seconds after
 * both outages. What the adapter may take longer on a slow machine, the outages take longer too.
 */
const OUTAGE_MS = 8_000
const LONG_OUTAGE_MS = 12_000
const WORKS_WITHIN_MS = 4_000

const PAUSE_MS = 100

/** However long an outage took, the adapter works again within a few seconds. */
export const longOutageCases: readonly HarnessCase[] = casesOf(GROUP, {
  'within-seconds: works again within seconds after an outage of 8 seconds':
    afterOutageOf(OUTAGE_MS),
  'first-calls: works after an outage during which each function was called for the first time':
    interrupted(async ({ persistence, interrupt }) => {
      const limiter = persistence.createRateLimiter?.({ requests: 100, windowMs: LONG_MS })
      const take = async () => limiter?.take('key_first')
      const { end } = await interrupt()
      const calls = everyCall(persistence, 'first').map(({ run }) => run())
      await Promise.allSettled([...calls, take()])
      await end()
      // Of the same limiter: it may have kept why its first request has failed.
      await expectAvailable('take', take)
      await expectWorksAgain(persistence, 'afterwards')
    }),
  'long: works again within seconds after an outage of 12 seconds': afterOutageOf(LONG_OUTAGE_MS),
})

function afterOutageOf(durationMs: number): ReturnType<typeof interrupted> {
  return interrupted(async ({ persistence, interrupt, scale }) => {
    await expectWorks(persistence, 'before')
    const { end } = await interrupt()
    const start = performance.now()
    while (performance.now() - start < durationMs * scale) {
      await persistence.pets.find(1n).catch(() => undefined)
      await wait(PAUSE_MS)
    }
    await end()
    const ended = performance.now()
    await untilAvailable(() => persistence.pets.find(1n))
    const tookMs = performance.now() - ended
    assert.ok(
      tookMs < WORKS_WITHIN_MS * scale,
      `find must resolve within ${WORKS_WITHIN_MS} ms after an outage, took ${tookMs} ms`,
    )
    await expectWorksAgain(persistence, 'afterwards')
  })
}
