import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { causedBy, expectEqual } from '../../case/expectations.ts'
import { memberOf } from '../../harness/harness-members.ts'
import type { PersistenceHarness } from '../../harness/persistence-harness.ts'

/** What another process did. */
interface ProcessResult {
  readonly lines: readonly string[]
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
  /** Sends it a line, and resolves when it has printed one more. `undefined` ends what it reads. */
  tell(line: string | undefined): Promise<void>
  /** Calls a function with every line that was printed so far, whenever there are more. */
  onLines(listener: (lines: readonly string[]) => void): void
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
 * What a script finds: the opening function, the URL, its values, a function that prints a line,
 * and one that waits until it may continue. Lines are printed elsewhere than those of adapters and
 * drivers.
 */
const PROLOGUE = `
  const { writeSync } = await import('node:fs')
  const print = (text) => writeSync(3, text + '\\n')
  const [module, exportName, url, ...values] = process.argv.slice(1)
  const { [exportName]: open } = await import(module)
  const go = async () => {
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdin.destroy()
  }
`

/** Ends the process with an error if something keeps it running after the end of the script. */
const EPILOGUE = `
  setTimeout(() => {
    console.error('It still runs after its work, with', process.getActiveResourcesInfo())
    process.exit(9)
  }, 10_000).unref()`

/** The processes that run: what a case leaves behind ends with this process. */
const running = new Set<ChildProcess>()

function endAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

function startProcess(
  { nodeOptions = [], exportName = 'default' }: PersistenceHarness,
  module: string,
  url: string,
  script: string,
  values: readonly string[] = [],
): OtherProcess {
  const options = [
    ...nodeOptions,
    '--input-type=module',
    '--eval',
    PROLOGUE + script + EPILOGUE,
    '--',
  ]
  const args = [...options, module, exportName, url, ...values]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] })
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', endAll)
  })
  let output = ''
  let errors = ''
  // The last one may be cut off.
  const lines = () => output.split('\n').slice(0, -1)
  // It may end before it reads.
  child.stdin.on('error', () => {})
  const printed = child.stdio[3] as Readable
  let notify = () => {}
  printed.setEncoding('utf8').on('data', (text: string) => {
    output += text
    notify()
  })
  child.once('exit', () => notify())
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
  return {
    kill: () => void child.kill('SIGKILL'),
    go: () => void child.stdin.end('go\n'),
    async tell(line) {
      if (line === undefined) return void child.stdin.end()
      const count = lines().length
      child.stdin.write(`${line}\n`)
      while (lines().length === count && child.exitCode === null && child.signalCode === null)
        await new Promise<void>((resolve) => {
          notify = resolve
        })
    },
    onLines: (listener) => void printed.on('data', () => listener(lines())),
    ended: new Promise((resolve, reject) => {
      child
        .on('error', reject)
        .on('close', (code, signal) => resolve({ lines: lines(), errors, code, signal }))
    }),
  }
}

/** Returns the lines of a process, which must have ended by itself. */
export async function linesOf({ ended }: OtherProcess): Promise<readonly string[]> {
  const { lines, errors, code } = await ended
  const message = `the other process must end without an error; it printed: ${errors}`
  causedBy(errors, () => expectEqual(code, 0, message))
  return lines
}
