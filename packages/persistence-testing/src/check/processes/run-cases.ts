import { AssertionError } from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import { type AdapterCase, adapterContract } from '../../adapter-contract.ts'
import { endWithin, NEVER_ENDED } from '../../case/time-limit.ts'
import { aTurnLater, wait } from '../../case/wait.ts'
import type { PersistenceHarness } from '../../harness/persistence-harness.ts'
import { assertEmpty, type CheckOptions, createHarness, WrongUse } from '../check-harness.ts'
import { stackOf } from '../stack-of.ts'
import { scaleOf, slownessOf } from '../time-scale.ts'
import { type FollowedCalls, followCalls } from './follow-calls.ts'
import type { CaseResult, CasesToRun, ProcessEvent } from './process-messages.ts'

const CLOSING_LIMIT_MS = 10_000
const LAST_EVENTS_MS = 50
const ALIVE_MS = 1_000

interface RunningCase {
  readonly fail: (error: unknown) => void
}

/**
 * Runs cases one after the other, and tells the process that has started this one how each has
 * ended; that one makes them tests of Node's runner. Here the runner would take more than a tenth
 * of the CPU time, because it follows every promise. Ends the process, whatever the adapter has
 * left running.
 */
export async function runCases(): Promise<never> {
  const { options, ids, isFirst } = JSON.parse(process.argv.at(-1) ?? '') as CasesToRun
  await tell({ type: 'begun' })
  setInterval(() => void tell({ type: 'alive' }), ALIVE_MS).unref()
  // What started this process was ended: nobody waits for the results. This closes the harness.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  const slowness = slownessOf(performance.now())
  const harness = await createHarness(options).catch(endAsWrongUse)
  // What the module has started and not waited for fails now, before a case that is not its cause.
  await aTurnLater()
  const close = () =>
    endWithin(CLOSING_LIMIT_MS, async () => harness.close?.(), 'close').catch((error: unknown) =>
      console.error(`Closing the harness failed: ${inspect(error)}`),
    )
  process.once('SIGTERM', () => void close().then(() => process.exit(1)))
  const { capabilities = null, concurrent: isConcurrent = false } = harness
  await tell({ type: 'harness', capabilities, isConcurrent, members: Object.keys(harness) })
  const calls = followCalls(harness)
  const runCase = createCaseRunner(calls, scaleOf(options) * slowness)
  if (isFirst) await lookAtDatabases(harness, options, close)
  for (const one of adapterContract(calls.harness)) {
    const { id } = one
    if (!ids.includes(id)) continue
    // Before a loop in it that never ends.
    await tell({ type: 'case', id })
    const startMs = performance.now()
    const outcome: Outcome = options.skip?.some((start) => id.startsWith(start))
      ? { result: 'not tested', reason: '--skip says so' }
      : await runCase(one)
    await tell({ type: 'result', id, ...outcome, durationMs: performance.now() - startMs })
  }
  await close()
  // An adapter may have left something running. What it does in this time is still reported.
  await wait(LAST_EVENTS_MS)
  process.exit(0)
}

type Outcome = Pick<CaseResult, 'result' | 'reason'>

/**
 * Returns a function that runs one case after the other. From now on errors that nothing has waited
 * for fail the case that has caused them while it runs, and are reported when it has ended.
 */
function createCaseRunner(
  calls: FollowedCalls,
  scale: number,
): (one: AdapterCase) => Promise<Outcome> {
  const causes = new AsyncLocalStorage<RunningCase>()
  let running: RunningCase | undefined
  const onError = (error: unknown) => {
    const cause = causes.getStore()
    if (cause !== undefined && cause === running) cause.fail(error)
    else void tell({ type: 'failed outside', message: stackOf(error) })
  }
  process.on('uncaughtException', onError).on('unhandledRejection', onError)
  process.once('exit', () => {
    // The last message of this process: what ends it in the middle of a case is often a call.
    if (running !== undefined) void tell({ type: 'ending', calls: calls.running() })
  })
  return async ({ timeLimitMs, run }) => {
    const failed = new Promise<never>((_, reject) => {
      running = { fail: (error) => reject(new NotAwaited(stackOf(error))) }
    })
    try {
      const work = causes.run(running as RunningCase, () => run(timeLimitMs * scale))
      const reason = await Promise.race([work, failed])
      return reason === undefined ? { result: 'passed' } : { result: 'not tested', reason }
    } catch (error) {
      return { result: 'failed', reason: reasonOf(error, calls) }
    } finally {
      running = undefined
    }
  }
}

/** An error that nothing has waited for; the message is all that is shown of it. */
class NotAwaited extends Error {}

/** Waits for the end of this process if the databases are not empty. */
async function lookAtDatabases(
  harness: PersistenceHarness,
  options: CheckOptions,
  close: () => Promise<void>,
): Promise<void> {
  try {
    await assertEmpty(harness, options)
  } catch (error) {
    await close()
    await tell({ type: 'wrong use', message: (error as WrongUse).message })
    await wait(CLOSING_LIMIT_MS)
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
  if (error instanceof NotAwaited) return error.message
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

/** Resolves when the event was handed over: a case that loops forever comes after it. */
function tell(event: ProcessEvent): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(event, () => resolve())
  })
}
