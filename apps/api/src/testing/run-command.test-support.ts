import { vi } from 'vitest'
import { runCommand } from '../cli/program.ts'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The user `nobody`, who owns no files: permissions apply to it, unlike to root. */
const NOBODY = 65_534

/**
 * Runs a command in this process as the program would in a folder, with no other settings: for
 * everything that is not about the process itself, such as a stream to standard output. One at a
 * time, because the folder, the settings and the output are those of the process.
 *
 * With `asOrdinaryUser`, root runs it as `NOBODY`, and becomes root again before it changes back to
 * the working directory: that may be below a folder that others may not enter.
 */
export async function runHere(
  command: string,
  cwd: string,
  settings: Readonly<Record<string, string>> = {},
  { asOrdinaryUser = false } = {},
): Promise<CommandResult> {
  const changesUser = asOrdinaryUser && process.getuid?.() === 0
  const output = { stdout: '', stderr: '' }
  const before = { cwd: process.cwd(), env: { ...process.env } }
  const add = (name: 'stdout' | 'stderr', text: unknown) => {
    output[name] += String(text)
  }
  const spies = [
    ...(['stdout', 'stderr'] as const).map((name) =>
      vi.spyOn(process[name], 'write').mockImplementation((text: unknown, ...more: unknown[]) => {
        add(name, text)
        const written = more.at(-1)
        if (typeof written === 'function') written()
        return true
      }),
    ),
    vi.spyOn(console, 'log').mockImplementation((text: string) => add('stdout', `${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text: string) => add('stderr', `${text}\n`)),
  ]
  try {
    process.chdir(cwd)
    replaceEnvironment({ PATH: before.env['PATH'], PORT: '0', ...settings })
    process.exitCode = undefined
    if (changesUser) process.seteuid?.(NOBODY)
    const code = (await runCommand(command.split(' '))) ?? Number(process.exitCode ?? 0)
    return { code, stdout: output.stdout, stderr: withoutProgress(output.stderr) }
  } finally {
    if (changesUser) process.seteuid?.(0)
    process.exitCode = undefined
    replaceEnvironment(before.env)
    process.chdir(before.cwd)
    for (const spy of spies) spy.mockRestore()
  }
}

/** Without what is said about work of more than a second, which on a loaded machine may be any. */
export function withoutProgress(stderr: string): string {
  return stderr.replace(/^\w+ing: \d.*\n/gm, '')
}

function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}
