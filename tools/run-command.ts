import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

export interface CommandOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
}

/** The longest that one command may take, even on a busy machine. */
const MAX_MS = 15 * 60_000
const waiting: (() => void)[] = []
let free = Math.max(2, availableParallelism())

/**
 * Runs a command when a processor is free, and resolves to its standard output. Rejects with everything that it printed if it
 * fails or takes longer than 15 minutes, and with the `ENOENT` of Node if there is no such command.
 */
export async function run(
  cwd: string,
  [command = '', ...args]: readonly string[],
  { input = '', env = process.env }: CommandOptions = {},
): Promise<string> {
  if (free > 0) free -= 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    // The timer of spawn's `timeout` would go on after a command that did not start.
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', signal: AbortSignal.timeout(MAX_MS) })
    // Otherwise the pipes of a command that did not start would never end.
    child.on('error', () => [child.stdin, child.stdout, child.stderr].map((pipe) => pipe.destroy()))
    // A command that does not read its input may end before it is written.
    child.stdin.on('error', () => {}).end(input)
    const [[code, signal], stdout, stderr] = await Promise.all([
      once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
      text(child.stdout),
      text(child.stderr),
    ])
    if (code === 0) return stdout
    throw new Error(`${[command, ...args].join(' ')} in ${cwd} ended with ${code ?? signal}:\n${stdout}${stderr}`)
  } finally {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}
