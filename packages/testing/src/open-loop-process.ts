import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { type OpenLoopOptions, type OpenLoopResult, runOpenLoop } from './open-loop.ts'
import { onCore } from './program.ts'

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
  return JSON.parse(await text(child.stdout)) as OpenLoopResult
}

/** Runs in that process: reads the options from standard input, and prints the result. */
export async function printOpenLoop(): Promise<void> {
  const options = JSON.parse(await text(process.stdin)) as OpenLoopOptions
  process.stdout.write(JSON.stringify(await runOpenLoop(options)))
}
