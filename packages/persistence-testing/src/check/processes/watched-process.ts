import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NEVER_ENDED } from '../../case/time-limit.ts'
import { slownessOf } from '../time-scale.ts'
import type { CaseResult, CasesToRun, ProcessEvent } from './process-messages.ts'

/** A case, and after which time it must have ended by itself. */
export interface CaseToRun {
  readonly id: string
  readonly name: string
  readonly capability: string
  readonly limitMs: number
}

/** The first argument of the process that runs cases. */
export const RUN_CASES = 'run-cases'

/** Of a process that has not begun: only a broken machine lets it wait so long. */
const BEGINNING_LIMIT_MS = 600_000
const LOADING_LIMIT_MS = 60_000
/** A case ends by itself; a process in an endless loop ends nothing, and says nothing. */
const GRACE_MS = 5_000
const CLOSING_LIMIT_MS = 20_000
const LAST_MESSAGES_LIMIT_MS = 10_000

/**
 * Runs cases in a process, and ends it with all that it has started when a case does not return.
 * Node's runner cannot: its time limit is a timer of the process that loops, and it ends the
 * processes of files without what a harness has started, such as a database. `onEvent` gets
 * what the process says, and says whether to go on with the next case. Resolves with the exit code.
 */
export async function runInProcess(
  given: CasesToRun,
  cases: ReadonlyMap<string, CaseToRun>,
  onEvent: (event: ProcessEvent) => 'continue' | 'end',
  interruption: AbortSignal,
): Promise<number> {
  // With a group of its own. Standard output is for the report.
  const child = fork(process.argv[1] as string, [RUN_CASES, JSON.stringify(given)], {
    detached: true,
    // It, and what it starts, load the same modules: each is compiled once, and found again where
    // Node keeps such modules by default.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env },
    serialization: 'advanced',
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const forkedAt = Date.now()
  let timer = setTimeout(endGroup, BEGINNING_LIMIT_MS, child)
  let isSilent = false
  let lastCalls: readonly string[] = []
  let slowness = 1
  const setLimit = (limitMs: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      isSilent = true
      endGroup(child)
    }, slowness * limitMs)
  }
  let hasEnded = false
  const interrupt = () => {
    // It closes the harness.
    child.kill('SIGTERM')
    setLimit(CLOSING_LIMIT_MS)
  }
  interruption.addEventListener('abort', interrupt)
  let running: { readonly one: CaseToRun; readonly start: number } | undefined
  child.on('message', (event: ProcessEvent) => {
    // An interrupted process closes its harness, whatever it says meanwhile.
    if (hasEnded || interruption.aborted) return
    if (event.type === 'begun') {
      slowness = slownessOf(Date.now() - forkedAt)
      setLimit(LOADING_LIMIT_MS)
    }
    if (event.type === 'ending') lastCalls = event.calls
    if (event.type === 'case') {
      const one = cases.get(event.id)
      if (one !== undefined) running = { one, start: Date.now() }
    }
    if (running !== undefined) setLimit(running.one.limitMs + GRACE_MS)
    if (event.type === 'result') {
      running = undefined
      setLimit(CLOSING_LIMIT_MS)
    }
    hasEnded = onEvent(event) === 'end'
    if (hasEnded) endGroup(child)
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  endGroup(child)
  await untilAllIsSaid(child)
  clearTimeout(timer)
  interruption.removeEventListener('abort', interrupt)
  // A process that ended in the middle of a case broke its guarantee.
  if (running !== undefined && !interruption.aborted && !hasEnded)
    onEvent(failed(running, child, isSilent, lastCalls))
  return code ?? 1
}

/** The result of a case that has ended its process, or never returned. */
function failed(
  { one, start }: { readonly one: CaseToRun; readonly start: number },
  { exitCode, signalCode }: ChildProcess,
  isSilent: boolean,
  calls: readonly string[],
): CaseResult {
  const how = signalCode ?? `code ${exitCode}`
  const reason = isSilent
    ? `The process ${NEVER_ENDED} ${one.limitMs + GRACE_MS} ms and did not respond, ` +
      'as in an endless loop.'
    : [
        `The process ended in the middle of the case, with ${how}.`,
        ...calls.map((call) => `It ended in this call: ${call}`),
      ].join('\n')
  return { type: 'result', id: one.id, result: 'failed', reason, durationMs: Date.now() - start }
}

/** On a busy machine the end of a process may be noticed before its last messages are read. */
async function untilAllIsSaid(child: ChildProcess): Promise<void> {
  const signal = AbortSignal.timeout(LAST_MESSAGES_LIMIT_MS)
  if (child.connected) await once(child, 'disconnect', { signal }).catch(() => undefined)
}

/** Ends a process and all that it has started. */
function endGroup(child: ChildProcess): void {
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // All have ended, or the system has no groups.
    child.kill('SIGKILL')
  }
}
