import { fileURLToPath } from 'node:url'
import { type RunningProgram, startProgram, waitForOutput } from '@pet-store/testing'

/**
 * The program that users get, which tools/testing/build-before-tests.ts has built; it starts in a
 * fifth of the time.
 */
export const PROGRAM: string = fileURLToPath(new URL('../../bin/pet-store.js', import.meta.url))

/**
 * What Node needs to run the program from its source, together with modules that import the source
 * of our packages.
 */
export const PROGRAM_FROM_SOURCE: readonly string[] = [
  '--conditions=@pet-store/source',
  fileURLToPath(new URL('../main.ts', import.meta.url)),
]

/** What programs get of the surrounding shell: no setting. */
export const ENVIRONMENT = { PATH: process.env['PATH'] } as const

/** Where this run keeps compiled code. */
const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] } as const

/**
 * Starts the built program, or what the arguments of Node name. No setting of the surrounding shell
 * reaches it.
 */
export function runProgram(
  command: string,
  cwd: string,
  settings: Record<string, string> = {},
  program: readonly string[] = [PROGRAM],
): RunningProgram {
  // On a busy machine stopping takes longer than the default.
  const env = { ...COMPILE_CACHE, PORT: '0', SHUTDOWN_TIMEOUT: '10m', ...settings }
  return startProgram({ args: [...program, ...command.split(' ')], cwd, env })
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
