/**
 * A reader such as `head` closes the pipe when it has read enough: the command still does its work. What cannot be
 * written for another reason, such as a full disk, is an error. Without this either would end the program with a stack trace.
 */
export function handleOutputErrors(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || process.exitCode === 1) return
    process.exitCode = 1
    console.error(`Cannot write to standard output: ${message}`)
  })
  process.stderr.on('error', () => {})
}
