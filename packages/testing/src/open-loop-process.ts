import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { onCore } from './on-core.ts'
import { type OpenLoopOptions, type OpenLoopResult, runOpenLoop } from './open-loop.ts'

/**
 * Sends the requests from a process of its own, so that they do not wait for this process; on the
 * processor `core` if possible.
 */
export async function runOpenLoopInOwnProcess(
  options: OpenLoopOptions,
  core?: number,
): Promise<OpenLoopResult> {
  const program = [
    `import { printOpenLoop } from ${JSON.stringify(import.meta.url)}`,
    'await printOpenLoop()',
  ].join('\n')
  const [command, ...args] = onCore(core, [
    process.execPath,
    '--input-type=module',
    '--eval',
    program,
  ])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(options))
  const result = await text(child.stdout)
  if (result === '') throw new Error('The process that sends the requests ended without a result.')
  return JSON.parse(result) as OpenLoopResult
}

/** Runs in that process: reads the options from standard input, and prints the result. */
export async function printOpenLoop(): Promise<void> {
  const options = JSON.parse(await text(process.stdin)) as OpenLoopOptions
  process.stdout.write(JSON.stringify(await runOpenLoop(options)))
}
