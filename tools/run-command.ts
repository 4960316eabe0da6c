import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

export interface CommandOptions {
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
}

/** The longest that one command may take, on a busy machine too. */
const MAX_MS = 15 * 60_000
const waiting: (() => void)[] = []
let free = Math.max(2, availableParallelism())

/**
 * Runs a command when a processor is free, and resolves to its standard output. Rejects with everything that it printed if it
 * fails or takes longer than 15 minutes.
 */
export async function run(
  cwd: string,
  [command = '', ...args]: readonly string[],
  { input = '', env = process.env }: CommandOptions = {},
): Promise<string> {
  if (free > 0) free -= 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', timeout: MAX_MS })
    const ended = new Promise<string>((resolve, reject) => {
      child.on('error', reject).on('close', (code, signal) => resolve(`${code ?? signal}`))
    })
    // A command that does not read its input may end before it is written.
    child.stdin.on('error', () => {}).end(input)
    const [stdout, stderr, ending] = await Promise.all([text(child.stdout), text(child.stderr), ended])
    if (ending !== '0')
      throw new Error(`${[command, ...args].join(' ')} in ${cwd} ended with ${ending}:\n${stdout}${stderr}`)
    return stdout
  } finally {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}
