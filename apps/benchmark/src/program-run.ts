import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Pinning } from './pinning.ts'
import { memoryMiB } from './process-figures.ts'
import { endWithThisProcess } from './server-process.ts'

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
  readonly pinning: Pinning
}

// Afterwards the kernel does not know its memory any more, so the process tells it as the last thing that it does.
const TELL_STATUS = `import { readFileSync, writeSync } from 'node:fs'
process.on('exit', () => writeSync(3, readFileSync('/proc/self/status')))`
const NODE_FLAGS = ['--import', `data:text/javascript,${encodeURIComponent(TELL_STATUS)}`]

/** Runs a program as a user does, on the server's core. Rejects with what it said where it fails. */
export async function runProgram({ program, databaseUrl, pinning }: ProgramOptions): Promise<ProgramRun> {
  const [command = '', ...args] = pinning.onServerCore([process.execPath, ...NODE_FLAGS, ...program])
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
  const [{ code, seconds }, said, told] = await Promise.all([ended, readAll(stderr), readAll(status)])
  if (code !== 0) throw new Error(`${program.join(' ')} fails:\n${said.slice(-2_000)}`)
  return { seconds, peakMiB: memoryMiB(told, 'VmHWM') }
}

function readAll(stream: unknown): Promise<string> {
  return text(stream as NodeJS.ReadableStream)
}
