import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ENVIRONMENT, PROGRAM } from '../../testing/run-program.test-support.ts'

export interface ShellResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a line of shell in which `pet-store` is the built program, without the settings of the surrounding shell. */
export async function runShell(line: string, cwd: string, settings: Record<string, string> = {}): Promise<ShellResult> {
  const program = `pet_store() { "${process.execPath}" "${PROGRAM}" "$@"; }`
  const child = spawn('sh', ['-c', `${program}\n${line.replaceAll('pet-store', 'pet_store')}`], {
    cwd,
    env: { ...ENVIRONMENT, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}
