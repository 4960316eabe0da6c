import { execFile } from 'node:child_process'
import { withoutProgress } from '../../testing/run-command.test-support.ts'
import { ENVIRONMENT, PROGRAM } from '../../testing/run-program.test-support.ts'

/**
 * Runs a line of shell in which `pet-store` is the built program, without the settings of the
 * surrounding shell.
 */
export function runShell(line: string, cwd: string, settings: Record<string, string> = {}) {
  const program = `pet_store() { "${process.execPath}" "${PROGRAM}" "$@"; }`
  const script = `${program}\n${line.replaceAll('pet-store', 'pet_store')}`
  const options = { cwd, env: { ...ENVIRONMENT, ...settings }, maxBuffer: 1e9 }
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile('sh', ['-c', script], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr: withoutProgress(stderr) }),
    )
  })
}
