// The cases as tests of Node's own runner, which test-runner.ts starts on this file.
import { AssertionError } from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { adapterContract } from '../adapter-contract.ts'
import { endWithin, NEVER_ENDED } from '../case/time-limit.ts'
import { aTurnLater, wait } from '../case/wait.ts'
import { assertEmpty, createHarness, WrongUse } from './check-harness.ts'
import { type FollowedCalls, followCalls } from './follow-calls.ts'
import type { CasesToRun, LoadedHarness, ProcessEvent } from './process-messages.ts'
import { stackOf } from './stack-of.ts'
import { testNameOf } from './test-name.ts'
import { scaleOf, slownessOf } from './time-scale.ts'

const CLOSING_LIMIT_MS = 10_000

await defineCases(JSON.parse(process.argv.at(-1) ?? '') as CasesToRun)

async function defineCases({ options, ids, isFirst }: CasesToRun): Promise<void> {
  const slowness = slownessOf(performance.now())
  const harness = await createHarness(options).catch(endAsWrongUse)
  // What the module has started and not waited for fails now, before a case that is not its cause.
  await aTurnLater()
  const close = () =>
    endWithin(CLOSING_LIMIT_MS, async () => harness.close?.()).catch((error: unknown) =>
      console.error(`Closing the harness failed: ${inspect(error)}`),
    )
  process.once('SIGTERM', () => void close().then(() => process.exit(1)))
  const calls = followCalls(harness)
  const { capabilities = null, concurrent: isConcurrent = false } = harness
  process.send?.({ type: 'harness', capabilities, isConcurrent } satisfies LoadedHarness)
  const scale = scaleOf(options) * slowness
  const cases = adapterContract(calls.harness).filter(({ id }) => ids.includes(id))
  let running: AbortSignal | undefined
  // After the runner's own listeners: it has failed the case that runs if the error is of it. It
  // would tell the others only when nothing is left running.
  const reportOutside = (error: unknown) => {
    if (running?.aborted) return
    const message = stackOf(error)
    process.send?.({ type: 'failed outside', message } satisfies ProcessEvent)
  }
  process.on('uncaughtException', reportOutside).on('unhandledRejection', reportOutside)
  const lookAtDatabases = () =>
    assertEmpty(harness, options).catch(async ({ message }: WrongUse) => {
      await close()
      process.send?.({ type: 'wrong use', message } satisfies ProcessEvent)
      await wait(CLOSING_LIMIT_MS)
    })
  // What fails in the background then is not of the first case.
  const outsideCases = new AsyncResource('outside cases')
  process.once('exit', () => {
    // The last message of this process: what ends it in the middle of a case is often a call.
    if (running !== undefined)
      process.send?.({ type: 'ending', calls: calls.running() } satisfies ProcessEvent)
  })
  for (const one of cases) {
    const { timeLimitMs, run } = one
    void test(testNameOf(one), async (context) => {
      // So that the start of this case is reported before a loop in it that never ends.
      await aTurnLater()
      if (isFirst && one === cases[0]) await outsideCases.runInAsyncScope(lookAtDatabases)
      if (one === cases.at(-1)) context.after(close)
      if (options.skip?.some((start) => one.id.startsWith(start)))
        return context.skip('--skip says so')
      running = context.signal
      const notTested = await run(timeLimitMs * scale)
        .catch((error: unknown) => {
          const reason = reasonOf(error, calls)
          throw Object.assign(new Error(reason), { stack: reason })
        })
        .finally(() => {
          running = undefined
        })
      if (notTested !== undefined) context.skip(notTested)
    })
  }
}

/** Exit code 2 for wrong use, 1 for an adapter that cannot be loaded; the message says why. */
function endAsWrongUse(error: unknown): never {
  console.error(error instanceof Error ? error.message : inspect(error))
  process.exit(error instanceof WrongUse ? 2 : 1)
}

/**
 * What is wrong: the case says it by itself; an error of the adapter with its call and its stack.
 */
function reasonOf(error: unknown, calls: FollowedCalls): string {
  if (!(error instanceof AssertionError)) {
    const call = calls.failedWith(error)
    return `${call ?? 'The case'} failed with:\n${stackOf(error)}`
  }
  const running = error.message.includes(NEVER_ENDED) ? calls.running() : []
  return [
    error.message,
    ...running.slice(0, 5).map((call) => `This call has not ended: ${call}`),
  ].join('\n')
}
