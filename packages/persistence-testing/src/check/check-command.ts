import { type ChildProcess, fork } from 'node:child_process'
import { type AdapterReport, type CheckedGuarantee, formatReport } from './adapter-report.ts'
import type { CheckOptions } from './check-harness.ts'
import type { Message, PlannedCase } from './run-cases.ts'

/** How the result is printed. */
export interface PrintOptions {
  /** Every guarantee instead of counts. */
  readonly all: boolean
  readonly json: boolean
}

const LOADING_LIMIT_MS = 60_000
/** A case ends by itself; a process in an endless loop ends nothing. */
const GRACE_MS = 5_000
const CLOSING_LIMIT_MS = 15_000
const MAX_ENDLESS_CASES = 5

/** Says why nothing was checked. */
class NothingChecked extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Checks an adapter, in processes that it ends when they do not, and prints the result. Resolves with the exit code: 0
 * nothing is broken, 1 something is, or not everything was checked, 2 wrong use.
 */
export async function checkCommand(options: CheckOptions, { all, json }: PrintOptions): Promise<number> {
  try {
    const { report, strays } = await new Check(options).run()
    process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report, all))
    const isBroken = report.guarantees.some(({ result }) => result === 'broken')
    return isBroken || strays > 0 || report.stopped !== undefined ? 1 : 0
  } catch (error) {
    if (!(error instanceof NothingChecked)) throw error
    console.error(error.message)
    return error.exitCode
  }
}

/** One check: as many processes as it needs, and what they have found so far. */
class Check {
  readonly #options: CheckOptions
  readonly #guarantees: CheckedGuarantee[] = []
  readonly #showProgress = createProgress()
  #cases: readonly PlannedCase[] | undefined
  #report: AdapterReport | undefined
  #running: { readonly index: number; readonly start: number } | undefined
  #endless = 0
  #strays = 0
  #stopped: string | undefined
  #failure: NothingChecked | undefined

  constructor(options: CheckOptions) {
    this.#options = options
  }

  async run(): Promise<{ report: AdapterReport; strays: number }> {
    do await this.#runProcess(this.#guarantees.length)
    while (this.#stopped === undefined && this.#guarantees.length < (this.#cases?.length ?? 0))
    if (this.#report === undefined) throw this.#failure ?? new NothingChecked(this.#stopped ?? NOT_LOADED, 1)
    this.#showProgress(this.#guarantees.length, this.#guarantees.length, '')
    const stopped = this.#stopped
    const guarantees = this.#guarantees
    return { report: { ...this.#report, guarantees, ...(stopped !== undefined && { stopped }) }, strays: this.#strays }
  }

  /** Runs the cases from one on, until the process ends: after the last case, after an endless one, or because it broke. */
  async #runProcess(from: number): Promise<void> {
    // With a group of its own, to end the processes that it has started too. Standard output is for the report.
    const child = fork(process.argv[1] as string, [RUN_CASES, JSON.stringify(this.#options), String(from)], {
      detached: true,
      stdio: ['ignore', 2, 2, 'ipc'],
    })
    const interrupt = () => {
      this.#stopped ??= 'interrupted'
      child.kill('SIGTERM')
      limit.set(CLOSING_LIMIT_MS)
    }
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
    const limit = createLimit(() => endGroup(child))
    limit.set(LOADING_LIMIT_MS)
    child.on('message', (message: Message) => {
      this.#take(message)
      const { limitMs = LOADING_LIMIT_MS } = this.#cases?.[this.#running?.index ?? -1] ?? {}
      limit.set(this.#running === undefined ? CLOSING_LIMIT_MS : limitMs + GRACE_MS)
    })
    const how = await new Promise<string>((resolve) => {
      child
        .on('exit', (code, signal) => resolve(signal ?? `code ${code}`))
        .on('error', ({ message }) => resolve(message))
    })
    limit.clear()
    endGroup(child)
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    this.#endRunning(how)
    if (this.#guarantees.length === from) this.#stopped ??= NOT_LOADED
  }

  #take(message: Message): void {
    if (message.kind === 'cases') {
      this.#cases = message.cases
      this.#report ??= message.report
    } else if (message.kind === 'started') {
      this.#running = { index: message.index, start: Date.now() }
      this.#showProgress(message.index, this.#cases?.length ?? 0, this.#cases?.[message.index]?.capability ?? '')
    } else if (message.kind === 'ended') {
      this.#running = undefined
      this.#end(message.guarantee, message.isEndless)
    } else if (message.kind === 'stray') {
      this.#strays += 1
      console.error(`Outside of any case: ${message.message}`)
    } else {
      this.#failure = new NothingChecked(message.message, message.isWrongUse ? 2 : 1)
      this.#stopped ??= message.message
    }
  }

  /** A process that ended in the middle of a case broke its guarantee, unless somebody else ended it. */
  #endRunning(how: string): void {
    const { index, start } = this.#running ?? { index: -1, start: 0 }
    this.#running = undefined
    const planned = this.#cases?.[index]
    if (planned === undefined || this.#stopped !== undefined) return
    const { limitMs, ...which } = planned
    const durationMs = Date.now() - start
    const isEndless = durationMs > limitMs
    const reason = isEndless
      ? `The process did not respond, as in an endless loop, and was ended after ${limitMs + GRACE_MS} ms.`
      : `The process ended in the middle of the case, with ${how}.`
    this.#end({ ...which, result: 'broken', reason, durationMs }, isEndless)
  }

  #end(guarantee: CheckedGuarantee, isEndless: boolean): void {
    this.#guarantees.push(guarantee)
    if (!isEndless || ++this.#endless < MAX_ENDLESS_CASES) return
    this.#stopped ??= `${MAX_ENDLESS_CASES} cases did not end. If the database is slow, give each more time with --time-limit`
  }
}

/** The first argument of the process that runs the cases. */
export const RUN_CASES = 'run-cases'
const NOT_LOADED = 'the adapter or its harness could not be loaded'

function createLimit(end: () => void): { set(limitMs: number): void; clear(): void } {
  let timer: NodeJS.Timeout | undefined
  const clear = () => clearTimeout(timer)
  return {
    set(limitMs) {
      clear()
      timer = setTimeout(end, limitMs)
    },
    clear,
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

/** On a terminal one line that changes, otherwise one line for each capability. */
function createProgress(): (done: number, total: number, capability: string) => void {
  let last = ''
  return (done, total, capability) => {
    if (process.stderr.isTTY)
      process.stderr.write(done === total ? '\r\u001B[K' : `\r\u001B[K${done} of ${total}: ${capability}`)
    else if (capability !== last && done < total) console.error(`${done} of ${total}: ${capability}`)
    last = capability
  }
}
