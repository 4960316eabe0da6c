import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { onServerCore } from './pinning.ts'
import { endWithThisProcess, memoryMiB } from './server-process.ts'

/** A program that has run to its end. */
export interface ProgramRun {
  /** From the start of the process to its end. */
  readonly seconds: number
  /** Resident memory at its highest. */
  readonly peakMiB: number
}

export interface ProgramOptions {
  /** Arguments of `node`. */
  readonly program: readonly string[]
  readonly databaseUrl: string
}

// Once a process has ended the kernel no longer knows its memory, so the process reports it as its last act.
const REPORT_STATUS = `import { readFileSync, writeSync } from 'node:fs'
process.on('exit', () => writeSync(3, readFileSync('/proc/self/status')))`
const NODE_FLAGS = ['--import', `data:text/javascript,${encodeURIComponent(REPORT_STATUS)}`]

/** Runs a program as a user does, on the server's core. Rejects with its output when it fails. */
export async function runProgram({ program, databaseUrl }: ProgramOptions): Promise<ProgramRun> {
  const [command = '', ...args] = onServerCore([process.execPath, ...NODE_FLAGS, ...program])
  const start = performance.now()
  const child = spawn(command, args, {
    // No setting of the surrounding shell reaches it, nor one of a file `.env`.
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  endWithThisProcess(child)
  const [, , stderr, status] = child.stdio
  const ended = once(child, 'exit').then(([code]) => ({ code, seconds: (performance.now() - start) / 1000 }))
  const [{ code, seconds }, output, lastStatus] = await Promise.all([ended, readAll(stderr), readAll(status)])
  if (code !== 0) throw new Error(`${program.join(' ')} fails:\n${output.slice(-2_000)}`)
  return { seconds, peakMiB: memoryMiB(lastStatus, 'VmHWM') }
}

function readAll(stream: unknown): Promise<string> {
  return text(stream as NodeJS.ReadableStream)
}
