import { AssertionError } from 'node:assert/strict'
import { inspect } from 'node:util'
import { type AdapterCase, adapterContract } from '../adapter-contract.ts'
import { contractVersion, endWithin, TIME_LIMIT_MS } from '../contract-case.ts'
import type { PersistenceHarness } from '../persistence-harness.ts'
import type { AdapterReport, CheckedGuarantee } from './adapter-report.ts'
import { assertEmpty, type CheckOptions, createHarness, WrongUse } from './check-harness.ts'
import { type FollowedCalls, followCalls } from './follow-calls.ts'

/** What the process that runs the cases tells the one that has started it. */
export type Message =
  | { readonly kind: 'cases'; readonly report: AdapterReport; readonly cases: readonly PlannedCase[] }
  | { readonly kind: 'started'; readonly index: number }
  | { readonly kind: 'ended'; readonly guarantee: CheckedGuarantee; readonly isEndless: boolean }
  | { readonly kind: 'stray'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly isWrongUse: boolean }

/** A case that will run. */
export interface PlannedCase {
  readonly id: string
  readonly name: string
  readonly capability: string
  readonly limitMs: number
}

const CLOSING_LIMIT_MS = 10_000

/** Runs the cases from an index on, one after the other, in a process of its own, which it ends. */
export async function runCases(options: CheckOptions, from: number): Promise<never> {
  let harness: PersistenceHarness | undefined
  const leave = async (): Promise<never> => {
    await endWithin(CLOSING_LIMIT_MS, async () => harness?.close?.()).catch(() => {})
    process.exit()
  }
  process.once('SIGTERM', () => void leave()).once('disconnect', () => void leave())
  // Of work that a case has abandoned, or that nothing waits for.
  process.on('uncaughtException', (error) => void tell({ kind: 'stray', message: inspect(error) }))
  try {
    harness = await createHarness(options)
    if (from === 0) await assertEmpty(harness, options)
    await run(harness, options, from)
  } catch (error) {
    const isWrongUse = error instanceof WrongUse
    const message = error instanceof Error ? error.message : inspect(error)
    await tell({ kind: 'failed', message, isWrongUse })
  }
  return leave()
}

async function run(given: PersistenceHarness, options: CheckOptions, from: number): Promise<void> {
  const calls = followCalls(given)
  const scale = ((options.timeLimitSeconds ?? 0) * 1000) / TIME_LIMIT_MS || 1
  const { only = '' } = options
  const cases = adapterContract(calls.harness).filter(({ id }) => id.startsWith(only))
  if (cases.length === 0) throw new WrongUse(`The id of no case begins with ${JSON.stringify(only)}.`)
  await tell({
    kind: 'cases',
    report: { contractVersion, capabilities: given.capabilities ?? null, guarantees: [] },
    cases: cases.map(({ id, name, capability, timeLimitMs }) => ({
      ...{ id, name, capability },
      limitMs: timeLimitMs * scale,
    })),
  })
  for (let index = from; index < cases.length; index += 1) {
    await tell({ kind: 'started', index })
    const ended = await checkOne(cases[index] as AdapterCase, scale, calls)
    await tell(ended)
    // What this case has abandoned would disturb the next ones, so they run in another process.
    if (ended.isEndless) return
  }
}

async function checkOne(
  { id, name, capability, timeLimitMs, run: runCase }: AdapterCase,
  scale: number,
  calls: FollowedCalls,
): Promise<Message & { kind: 'ended' }> {
  const start = Date.now()
  let isEndless = false
  const outcome = await runCase(timeLimitMs * scale).then(
    (reason) => (reason === undefined ? { result: 'shown' as const } : { result: 'not shown' as const, reason }),
    (error: unknown) => {
      isEndless = error instanceof AssertionError && error.message.includes('did not end within')
      return { result: 'broken' as const, reason: reasonOf(error, calls) }
    },
  )
  return { kind: 'ended', guarantee: { id, name, capability, ...outcome, durationMs: Date.now() - start }, isEndless }
}

/** What is wrong: the case says it by itself; an error of the adapter with its call and its stack. */
function reasonOf(error: unknown, calls: FollowedCalls): string {
  if (!(error instanceof AssertionError)) {
    const call = calls.failedWith(error)
    return `${call === undefined ? 'The case failed' : `${call} failed`} with:\n${withoutOwnFrames(inspect(error))}`
  }
  const running = error.message.includes('did not end within') ? calls.running() : []
  return [error.message, ...running.slice(0, 5).map((call) => `This call has not ended: ${call}`)].join('\n')
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
