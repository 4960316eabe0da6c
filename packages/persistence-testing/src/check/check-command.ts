import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { contractVersion } from '../contract-version.ts'
import { type AdapterReport, type CheckedGuarantee, formatReport } from './adapter-report.ts'
import type { CheckOptions } from './check-harness.ts'
import type { Message, StartedCase } from './run-cases.ts'

/** How the result is printed. */
export interface PrintOptions {
  /** Every guarantee instead of counts. */
  readonly all: boolean
  readonly json: boolean
}

/** The first argument of the process that runs the cases. */
export const RUN_CASES = 'run-cases'

const LOADING_LIMIT_MS = 60_000
/** A case ends by itself; a process in an endless loop ends nothing. */
const GRACE_MS = 5_000
const CLOSING_LIMIT_MS = 15_000
const MAX_ENDLESS_CASES = 5
const NOT_LOADED = 'the adapter or its harness could not be loaded'

/** What was found out so far, by as many processes as it took. */
interface Findings {
  readonly guarantees: CheckedGuarantee[]
  /** What the last case that was started said of all. */
  last?: StartedCase
  endless: number
  stopped?: string
}

/**
 * Checks an adapter, in processes that it ends when they do not, and prints the result. Resolves
 * with the exit code: 0 nothing is broken, 1 something is, or not everything was checked, 2 wrong
 * use.
 */
export async function checkCommand(
  options: CheckOptions,
  { all, json }: PrintOptions,
): Promise<number> {
  const findings: Findings = { guarantees: [], endless: 0 }
  const { guarantees } = findings
  let isClean = true
  do {
    const from = guarantees.length
    const exit = await runProcess(options, findings)
    if (exit === 2 && findings.last === undefined) return 2
    isClean &&= exit === 0
    if (guarantees.length === from) findings.stopped ??= NOT_LOADED
  } while (findings.stopped === undefined && guarantees.length < (findings.last?.total ?? 0))
  const { last, stopped } = findings
  if (last === undefined) {
    console.error(stopped)
    return 1
  }
  const { capabilities } = last
  const report: AdapterReport = {
    contractVersion,
    capabilities,
    guarantees,
    ...(stopped !== undefined && { stopped }),
  }
  process.stdout.write(
    json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report, all),
  )
  const isBroken = guarantees.some(({ result }) => result === 'broken')
  return isBroken || !isClean || stopped !== undefined ? 1 : 0
}

/**
 * Runs the cases that are left, until the process ends: after the last case, after an endless one,
 * or because it broke.
 */
async function runProcess(
  options: CheckOptions,
  findings: Findings,
): Promise<number | NodeJS.Signals> {
  // With a group of its own, to end the processes that it has started too. Standard output is for
  // the report.
  const child = fork(
    process.argv[1] as string,
    [RUN_CASES, JSON.stringify(options), String(findings.guarantees.length)],
    { detached: true, stdio: ['ignore', 2, 2, 'ipc'] },
  )
  let timer = setTimeout(endGroup, LOADING_LIMIT_MS, child)
  const setLimit = (limitMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(endGroup, limitMs, child)
  }
  const interrupt = () => {
    findings.stopped ??= 'interrupted'
    child.kill('SIGTERM')
    setLimit(CLOSING_LIMIT_MS)
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  let running: { readonly started: StartedCase; readonly start: number } | undefined
  child.on('message', (message: Message) => {
    if ('ended' in message) {
      running = undefined
      addTo(findings, message.ended, message.isEndless)
      setLimit(CLOSING_LIMIT_MS)
    } else {
      running = { started: message.started, start: Date.now() }
      findings.last = message.started
      setLimit(message.started.limitMs + GRACE_MS)
    }
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals]
  clearTimeout(timer)
  endGroup(child)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  // Unless somebody else ended it, a process that ended in the middle of a case broke its
  // guarantee.
  if (running !== undefined && findings.stopped === undefined) {
    const { id, name, capability, limitMs } = running.started
    const durationMs = Date.now() - running.start
    const isEndless = durationMs > limitMs
    const reason = isEndless
      ? `The process did not respond, as in an endless loop, and was ended after ${limitMs + GRACE_MS} ms.`
      : `The process ended in the middle of the case, with ${signal ?? `code ${code}`}.`
    addTo(findings, { id, name, capability, result: 'broken', reason, durationMs }, isEndless)
  }
  return code ?? signal
}

function addTo(findings: Findings, guarantee: CheckedGuarantee, isEndless: boolean): void {
  findings.guarantees.push(guarantee)
  if (isEndless) findings.endless += 1
  if (findings.endless === MAX_ENDLESS_CASES) {
    findings.stopped ??= `${MAX_ENDLESS_CASES} cases did not end. If the database is slow, give each more time with --time-limit`
  }
}

/** Ends a process and those that it has started. */
function endGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // All have ended, or the system has no groups.
    child.kill('SIGKILL')
  }
}
