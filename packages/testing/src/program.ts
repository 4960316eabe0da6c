import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { onCore } from './on-core.ts'
import { ask } from './raw-connection.ts'
import { TIMEOUT_MS } from './timeout.ts'
import type { WireRequest } from './wire.ts'

export interface ProgramOptions {
  /** The arguments of Node: its flags, the program, the arguments of the program. */
  readonly args: readonly string[]
  /** The runtime that runs the program. Default: this Node. */
  readonly runtime?: string | undefined
  /** The working directory. Default: the temporary folder, which has no `.env`. */
  readonly cwd?: string
  /** The environment of the program, in addition to PATH. No other variable is passed on. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /**
   * The target of standard output and standard error: a file descriptor, a pipe that nobody reads,
   * or a stream. Default: they are kept in memory.
   */
  readonly output?: number | 'pipe' | Writable
  /** The processor on which the program runs, if the system allows to choose it. Default: any. */
  readonly core?: number | undefined
}

export interface RunningProgram {
  readonly process: ChildProcess
  readonly pid: number
  /** Everything that it has written so far, if that is kept in memory. */
  readonly output: { stdout: string; stderr: string }
  /** Its exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>
  readonly isRunning: boolean
  /**
   * Sends a signal (default: SIGTERM), and waits for the end. Rejects after `timeoutMs` (default:
   * ten minutes).
   */
  end(signal?: NodeJS.Signals, timeoutMs?: number): Promise<number | NodeJS.Signals>
  /** The resident memory at present (`VmRSS`), or its highest value so far (`VmHWM`). */
  memoryMiB(field: 'VmRSS' | 'VmHWM'): number
  /** The CPU time that it has used so far, in microseconds. */
  cpuMicros(): number
}

/** Linux counts CPU time in hundredths of a second. */
const MICROS_PER_TICK = 10_000
/** Programs that are ended when this process ends, even if it is interrupted. */
const running = new Set<ChildProcess>()

/** Starts a program of Node as a process of its own. */
export function startProgram({
  args,
  runtime = process.execPath,
  cwd = tmpdir(),
  env,
  output: target,
  core,
}: ProgramOptions): RunningProgram {
  const [command, ...rest] = onCore(core, [runtime, ...args])
  const child = spawn(command, rest, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', target ?? 'pipe', target ?? 'pipe'],
  })
  endWithThisProcess(child)
  const output = { stdout: '', stderr: '' }
  if (target === undefined) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
  }
  // `close` is not emitted for a pipe that nobody reads.
  const ended = once(child, target === undefined ? 'close' : 'exit').then(
    ([code, signal]) => code ?? signal,
  )
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const read = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8')
  return {
    process: child,
    pid: child.pid ?? 0,
    output,
    ended,
    get isRunning() {
      return isRunning()
    },
    async end(signal = 'SIGTERM', timeoutMs = TIMEOUT_MS) {
      if (isRunning()) child.kill(signal)
      const timeout = wait(timeoutMs, undefined, { ref: false }).then(() => {
        throw new Error(`The program did not end within ${timeoutMs} ms after ${signal}.`)
      })
      return Promise.race([ended, timeout])
    },
    memoryMiB: (field) =>
      Number(new RegExp(`^${field}:\\s+([0-9]+) kB`, 'm').exec(read('status'))?.[1] ?? Number.NaN) /
      1024,
    cpuMicros() {
      const [, fields = ''] = read('stat').split(') ')
      const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number)
      return (user + system) * MICROS_PER_TICK
    },
  }
}

/**
 * Waits for a match in the standard output of a program, and returns its first group, or the whole
 * match. Rejects if the program ends before, or after ten minutes.
 */
export async function waitForOutput(program: RunningProgram, pattern: RegExp): Promise<string> {
  const { output, process, ended } = program
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  let isOver = process.stdout === null
  void ended.then(() => {
    isOver = true
  })
  for (;;) {
    const match = pattern.exec(output.stdout)
    if (match) return match[1] ?? match[0]
    if (isOver || process.stdout === null || deadline.aborted)
      throw new Error(`no ${pattern} in the output:\n${output.stdout}${output.stderr}`)
    await Promise.race([once(process.stdout, 'data', { signal: deadline }), ended]).catch(() => {})
  }
}

/**
 * Waits until a program responds to a request with 200. Rejects if the program ends before, or
 * after ten minutes.
 */
export async function waitForResponse(
  program: RunningProgram,
  port: number,
  request: WireRequest,
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const response = await ask(port, request)
    if (response?.status === 200) return
    if (!program.isRunning || performance.now() > deadline) {
      const { stdout, stderr } = program.output
      throw new Error(
        `${request.path} responds with ${response?.status} ${response?.text}:\n${stdout}${stderr}`,
      )
    }
    await wait(2)
  }
}

function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}
