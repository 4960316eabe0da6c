import { constants } from 'node:os'
import { runCommand } from './cli/program.ts'
import { reasonOf } from './messages/file-error.ts'

endOnSignals()
// Otherwise Node would open its debugger, by which every user of the machine can run code as this
// one. A tool that rotates logs may send this signal.
process.on('SIGUSR1', () => {})
const args = process.argv.slice(2)
// `serve` writes its log to the file descriptor, and handles its errors itself (`log-output.ts`).
if (args.join(' ') !== 'serve') handleOutputErrors()
// Emitted before the command has ended only if nothing is left that could end it, such as when a
// persistence adapter has lost a callback. Node would end with a code and a warning of its own.
process.once('beforeExit', reportStuck)
const failure = await runCommand(args)
process.off('beforeExit', reportStuck)
if (failure !== undefined) process.exit(failure)

function reportStuck(): void {
  console.error('The command waits for something that cannot happen any more, so it was ended.')
  process.exit(1)
}

/**
 * Ends the program on SIGTERM and SIGINT if it is process 1, as in a container: the kernel applies
 * the default action of a signal to every other process, but not to that one. A server stops in
 * order instead (`shutdown.ts`).
 */
function endOnSignals(): void {
  if (process.pid !== 1) return
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal])
    })
  }
}

/**
 * Handles errors of standard output, which would otherwise end the program with a stack trace. If a
 * reader such as `head` closes the pipe, the command still does its work. Any other error, such as
 * a full disk, is reported, and the exit code is 1.
 */
function handleOutputErrors(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || process.exitCode === 1) return
    process.exitCode = 1
    console.error(`Cannot write to standard output: ${reasonOf(error)}.`)
  })
  process.stderr.on('error', () => {})
}
