import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { ENVIRONMENT, PROGRAM } from './run-program.test-support.ts'

export const NO_TERMINAL = 'needs script of util-linux, for a terminal'

/** Runs the program on a terminal of this many columns; `undefined` if none can be made. */
export function runOnTerminal(
  command: string,
  cwd: string,
  settings: Record<string, string>,
  columns = 150,
): ChildProcessWithoutNullStreams | undefined {
  if (!hasScript()) return undefined
  const line = `stty cols ${columns}; "${process.execPath}" "${PROGRAM}" ${command}`
  const env = { ...ENVIRONMENT, TERM: 'xterm', ...settings }
  return spawn('script', ['-qec', line, '/dev/null'], { cwd, env })
}

function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}
