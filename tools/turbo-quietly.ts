// Runs turbo with these arguments: without telemetry, in silence when nothing is to be done, with one line when
// something is, and with everything it said when it fails. Nothing goes to standard output, so that a command
// behind it has that for itself.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const PATIENCE_MS = 400

const [task = 'build', ...rest] = process.argv.slice(2)
const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
const child = spawn(process.execPath, [turbo, 'run', task, '--output-logs=errors-only', ...rest], {
  cwd: new URL('..', import.meta.url),
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
})

let said = ''
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
}

const progress = setTimeout(() => {
  console.error(task === 'build' ? 'Building what has changed…' : `Running ${task} where something has changed…`)
}, PATIENCE_MS)

child.on('close', (code) => {
  clearTimeout(progress)
  if (code !== 0) process.stderr.write(said)
  process.exitCode = code ?? 1
})
