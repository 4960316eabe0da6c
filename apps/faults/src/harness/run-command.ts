import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { PROGRAM } from './service.ts'

export interface CommandResult {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals
  /** Empty where standard output is a file. */
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of the program to its end. No setting of the surrounding shell reaches it. */
export async function runCommand(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  outputFile?: string,
): Promise<CommandResult> {
  const output = outputFile === undefined ? 'pipe' : openSync(outputFile, 'w')
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', output, 'pipe'],
    timeout: 60_000,
  })
  if (output !== 'pipe') closeSync(output)
  const [stdout, stderr, [code, signal]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
  ])
  return { exit: code ?? signal ?? 0, stdout, stderr }
}
