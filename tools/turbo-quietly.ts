// Runs turbo without telemetry. Prints nothing when everything is cached, one line when it takes longer, and the whole
// output when it fails; all of it on standard error, so that a command after it has standard output for itself.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

const PROGRESS_AFTER_MS = 400

const [task = 'build', ...rest] = process.argv.slice(2)
const turbo = createRequire(import.meta.url).resolve('turbo/bin/turbo')
const child = spawn(process.execPath, [turbo, 'run', task, '--output-logs=errors-only', ...rest], {
  cwd: new URL('..', import.meta.url),
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
})

let output = ''
for (const stream of [child.stdout, child.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
}

const progress = setTimeout(() => {
  console.error(task === 'build' ? 'Building what has changed…' : `Running ${task} where something has changed…`)
}, PROGRESS_AFTER_MS)

child.on('close', (code) => {
  clearTimeout(progress)
  if (code !== 0) process.stderr.write(output)
  process.exitCode = code ?? 1
})
