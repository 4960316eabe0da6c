import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Waits until this process has ended, and with it the other end of its standard input. Then ends
 * the server, by force if it has not ended after five seconds, and removes its files.
 */
const SCRIPT = `
read -r _
kill -QUIT "$1"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 "$1" || break
  sleep 0.5
done
kill -KILL "$1"
rm -rf "$2"`

/**
 * Ends a server, and removes a folder, when this process ends, however it does: no handler of its
 * own runs after a signal. Until then, the server may end by itself.
 */
export function endWithThisProcess(server: ChildProcess, folder: string): void {
  // In a group of its own, so that Ctrl+C does not end it too.
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', String(server.pid), folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.unref()
  const input = watcher.stdin as Socket
  input.unref()
  server.once('exit', () => watcher.kill('SIGKILL'))
}
