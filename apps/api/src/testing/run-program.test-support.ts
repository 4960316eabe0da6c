import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The program that users get, which tools/build-before-tests.ts has built; it starts in a fifth of the time. */
export const PROGRAM: string = fileURLToPath(new URL('../../bin/pet-store.js', import.meta.url))

/** What Node needs to run the program from its source, together with modules that import the source of our packages. */
export const PROGRAM_FROM_SOURCE: readonly string[] = [
  '--conditions=@pet-store/source',
  fileURLToPath(new URL('../main.ts', import.meta.url)),
]

/** What programs get of the surrounding shell: no setting. */
export const ENVIRONMENT = { PATH: process.env['PATH'] } as const

/** Where this run keeps compiled code. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } as const

/** A folder of its own, so that no two tests share a database, a key or a `.env`. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'pet-store-'))
}

/** The program as a process of its own. */
export interface RunningProgram {
  readonly process: ChildProcess
  /** Everything it has written so far. */
  readonly output: { stdout: string; stderr: string }
  /** Its exit code (or the signal that ended it), once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the built program, or what the arguments of Node name. No setting of the surrounding shell reaches it. */
export function runProgram(
  command: string,
  cwd: string,
  settings: Record<string, string> = {},
  program: readonly string[] = [PROGRAM],
): RunningProgram {
  const child = spawn(process.execPath, [...program, ...command.split(' ')], {
    cwd,
    env: { ...ENVIRONMENT, ...COMPILE_CACHE, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { process: child, output, ended }
}

/** The first match in what the program writes to standard output. Rejects when it ends, or says nothing such in time. */
export async function waitForOutput(program: RunningProgram, pattern: RegExp): Promise<string> {
  const giveUp = Date.now() + 120_000
  for (;;) {
    const match = pattern.exec(program.output.stdout)
    if (match) return match[1] ?? match[0]
    if (program.process.exitCode !== null || program.process.signalCode !== null || Date.now() > giveUp) {
      throw new Error(`no ${pattern} in the output:\n${program.output.stdout}${program.output.stderr}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A running local start: its address and its key. */
export async function runStart(
  cwd: string,
  settings: Record<string, string> = {},
  program?: readonly string[],
): Promise<{ program: RunningProgram; address: string; key: string }> {
  const running = runProgram('start', cwd, settings, program)
  const address = await waitForOutput(running, /Address +(\S+)/)
  const key = await waitForOutput(running, /API key +(\S+)/)
  return { program: running, address, key }
}
