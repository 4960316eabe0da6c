import { spawn } from 'node:child_process'
import type { Persistence } from '@pet-store/persistence'
import { awaitedLater } from '../case/awaited-later.ts'
import { expectEqual } from '../case/expectations.ts'
import {
  assertSeveralProcesses,
  type HarnessCase,
  memberOf,
  type PersistenceHarness,
} from '../persistence-harness.ts'
import { withPersistence } from './with-persistence.ts'

/** What another process did. */
interface ProcessResult {
  readonly output: string
  readonly errors: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Another process that runs. */
export interface OtherProcess {
  /** Ends it in the middle of what it does. */
  kill(): void
  /** Lets it continue after `await go()`. */
  go(): void
  /** Calls a function with everything that was printed so far, whenever there is more. */
  onOutput(listener: (output: string) => void): void
  readonly ended: Promise<ProcessResult>
}

/** Starts scripts that use the adapter in other processes. */
export type StartProcess = (url: string, script: string, values?: readonly string[]) => OtherProcess

/** Makes the body of a case that needs other processes. */
export function withProcesses(
  work: (harness: PersistenceHarness, start: StartProcess) => Promise<void>,
): (harness: PersistenceHarness) => Promise<void> {
  return async (harness) => {
    const module = memberOf(harness, 'module')
    await work(harness, (...given) => startProcess(harness, module, ...given))
  }
}

/**
 * What a script finds: the opening function, the URL, its values, and a function that waits until
 * it may continue.
 */
const PROLOGUE = `
  const [module, exportName, url, ...values] = process.argv.slice(1)
  const { [exportName]: open } = await import(module)
  const go = async () => {
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdin.destroy()
  }
`

function startProcess(
  { nodeOptions = [], exportName = 'default' }: PersistenceHarness,
  module: string,
  url: string,
  script: string,
  values: readonly string[] = [],
): OtherProcess {
  const options = [...nodeOptions, '--input-type=module', '--eval', PROLOGUE + script, '--']
  const args = [...options, module, exportName, url, ...values]
  const child = spawn(process.execPath, args)
  let output = ''
  let errors = ''
  // It may end before it reads.
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return {
    kill: () => void child.kill('SIGKILL'),
    go: () => void child.stdin.end('go\n'),
    onOutput: (listener) => void child.stdout.on('data', () => listener(output)),
    ended: new Promise((resolve, reject) => {
      child
        .on('error', reject)
        .on('close', (code, signal) => resolve({ output, errors, code, signal }))
    }),
  }
}

/** A script that kills its own process before anything can happen in it after a call. */
export function killedAfter(setUp: string, call: string): string {
  return `${setUp}
    await ${call}.then(() => process.kill(process.pid, 'SIGKILL'))`
}

/**
 * Kills a process once it has printed enough, at a random moment of the time that follows. Returns
 * what it printed.
 */
export function untilKilledOnce(
  other: OtherProcess,
  hasPrintedEnough: (output: string) => boolean,
  withinMs: number = 0,
): Promise<string> {
  let isEnding = false
  other.onOutput((output) => {
    if (isEnding || !hasPrintedEnough(output)) return
    isEnding = true
    if (withinMs === 0) other.kill()
    else setTimeout(other.kill, Math.random() * withinMs)
  })
  return untilKilled(other)
}

/** Returns what a process printed that is to be killed in the middle of its work. */
export async function untilKilled({ ended }: OtherProcess): Promise<string> {
  const { output, errors, signal } = await ended
  const message = `the writing process must run until it is killed; it printed: ${errors}`
  expectEqual(signal, 'SIGKILL', message)
  return output
}

/** Returns what a process printed, which must have ended by itself. */
export async function outputOf({ ended }: OtherProcess): Promise<string> {
  const { output, errors, code } = await ended
  expectEqual(code, 0, `the other process must end without an error; it printed: ${errors}`)
  return output
}

/** Does a work in this process while another one runs a script; returns what both have found. */
type Together = <Ours>(
  script: string,
  work: () => Promise<Ours>,
) => Promise<readonly [ours: Ours, theirs: string]>

/**
 * Opens an empty database, for a case that uses it in another process too. Both begin when the
 * other one is ready.
 */
export function besideAnotherProcess(
  run: (opened: Persistence, together: Together) => Promise<void>,
): HarnessCase['run'] {
  return withProcesses(async (harness, start) => {
    assertSeveralProcesses(harness)
    const url = await harness.emptyDatabase()
    await withPersistence(harness, url, (opened) =>
      run(opened, async (script, work) => {
        let working: ReturnType<typeof work> | undefined
        const other = start(url, OPENED + script)
        other.onOutput((output) => {
          if (working !== undefined || !output.includes('ready')) return
          other.go()
          working = awaitedLater(work())
        })
        const theirs = (await outputOf(other)).split('\n')[1] ?? ''
        return [await (working as ReturnType<typeof work>), theirs]
      }),
    )
  })
}

const OPENED = `
  const opened = await open({ url, mode: 'migrate' })
  console.log('ready')
  await go()`
