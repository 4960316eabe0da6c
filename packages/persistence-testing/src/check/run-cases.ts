import { AssertionError } from 'node:assert/strict'
import { inspect } from 'node:util'
import { type AdapterCase, adapterContract } from '../adapter-contract.ts'
import { endWithin, TIME_LIMIT_MS } from '../contract-case.ts'
import type { PersistenceHarness } from '../persistence-harness.ts'
import type { AdapterReport, CheckedGuarantee } from './adapter-report.ts'
import { assertEmpty, type CheckOptions, createHarness, WrongUse } from './check-harness.ts'
import { type FollowedCalls, followCalls } from './follow-calls.ts'

/** What the process that runs the cases tells the one that has started it. */
export type Message =
  | { readonly started: StartedCase }
  | { readonly ended: CheckedGuarantee; readonly isEndless: boolean }

export interface StartedCase {
  readonly id: string
  readonly name: string
  readonly capability: string
  readonly limitMs: number
  /** The number of all cases. */
  readonly total: number
  /** What the adapter declares. */
  readonly capabilities: AdapterReport['capabilities']
}

const CLOSING_LIMIT_MS = 10_000

/**
 * Runs the cases from an index on, one after the other, in a process of its own, which it ends with
 * exit code 2 for wrong use, 1 when anything was wrong outside of the cases, which it prints, and
 * 0.
 */
export async function runCases(options: CheckOptions, from: number): Promise<never> {
  let harness: PersistenceHarness | undefined
  let exitCode = 0
  const leave = async (): Promise<never> => {
    await endWithin(CLOSING_LIMIT_MS, async () => harness?.close?.()).catch(() => {})
    process.exit(exitCode)
  }
  process.once('SIGTERM', () => void leave()).once('disconnect', () => void leave())
  // Of work that a case has abandoned, or that nothing waits for.
  process.on('uncaughtException', (error) => {
    exitCode = 1
    console.error(`Outside of any case: ${inspect(error)}`)
  })
  try {
    harness = await createHarness(options)
    if (from === 0) await assertEmpty(harness, options)
    await run(harness, options, from)
  } catch (error) {
    exitCode = error instanceof WrongUse ? 2 : 1
    console.error(error instanceof Error ? error.message : inspect(error))
  }
  return leave()
}

async function run(given: PersistenceHarness, options: CheckOptions, from: number): Promise<void> {
  const calls = followCalls(given)
  const scale = ((options.timeLimitSeconds ?? 0) * 1000) / TIME_LIMIT_MS || 1
  const { only = '' } = options
  const cases = adapterContract(calls.harness).filter(({ id }) => id.startsWith(only))
  if (cases.length === 0)
    throw new WrongUse(`The id of no case begins with ${JSON.stringify(only)}.`)
  const all = { total: cases.length, capabilities: given.capabilities ?? null }
  for (const [index, one] of cases.slice(from).entries()) {
    const { id, name, capability, timeLimitMs } = one
    if (index === 0 || cases[from + index - 1]?.capability !== capability) {
      console.error(`${from + index} of ${all.total}: ${capability}`)
    }
    await tell({ started: { ...all, id, name, capability, limitMs: timeLimitMs * scale } })
    const ended = await checkOne(one, scale, calls)
    await tell(ended)
    // What this case has abandoned would disturb the next ones, so they run in another process.
    if (ended.isEndless) return
  }
}

async function checkOne(
  { id, name, capability, timeLimitMs, run: runCase }: AdapterCase,
  scale: number,
  calls: FollowedCalls,
): Promise<Extract<Message, { isEndless: boolean }>> {
  const start = Date.now()
  let isEndless = false
  const outcome = await runCase(timeLimitMs * scale).then(
    (reason) =>
      reason === undefined
        ? { result: 'shown' as const }
        : { result: 'not shown' as const, reason },
    (error: unknown) => {
      isEndless = error instanceof AssertionError && error.message.includes('did not end within')
      return { result: 'broken' as const, reason: reasonOf(error, calls) }
    },
  )
  return { ended: { id, name, capability, ...outcome, durationMs: Date.now() - start }, isEndless }
}

/**
 * What is wrong: the case says it by itself; an error of the adapter with its call and its stack.
 */
function reasonOf(error: unknown, calls: FollowedCalls): string {
  if (!(error instanceof AssertionError)) {
    const call = calls.failedWith(error)
    return `${call === undefined ? 'The case failed' : `${call} failed`} with:\n${withoutOwnFrames(inspect(error))}`
  }
  const running = error.message.includes('did not end within') ? calls.running() : []
  return [
    error.message,
    ...running.slice(0, 5).map((call) => `This call has not ended: ${call}`),
  ].join('\n')
}

/** The files of this package. */
const OWN = new URL('..', import.meta.url).href

/** An author looks for lines of the adapter. */
function withoutOwnFrames(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => !line.includes(OWN))
    .join('\n')
}

function tell(message: Message): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    // In a later turn of the event loop, in which Node also notices what nothing has waited for.
    else process.send(message, () => setImmediate(resolve))
  })
}
