// Runs every check of the repository, several at a time, and prints the output of those that fail. Each is a script of
// package.json, so that it can also be run alone. A check that has passed on the same files is not repeated, except by
// `pnpm check --again`.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { CheckCache } from './check-cache.ts'

/** The scripts, in the order in which they start; the long ones first. */
const CHECKS: readonly { readonly script: string; readonly after?: string }[] = [
  // Tests of the built program start a build themselves, and two builds at a time would write the same files.
  { script: 'build' },
  { script: 'types' },
  { script: 'lint' },
  { script: 'check:format' },
  { script: 'imports' },
  { script: 'words' },
  { script: 'unused' },
  { script: 'manifests' },
  { script: 'migrations' },
  { script: 'description' },
  { script: 'test', after: 'build' },
  { script: 'check:packed', after: 'build' },
  { script: 'check:package', after: 'build' },
  { script: 'api', after: 'build' },
  { script: 'check:licences' },
  { script: 'check:samples' },
]

const start = Date.now()
const cache = CheckCache.open(process.argv.includes('--again'))
const seconds = () => `${Math.round((Date.now() - start) / 1000)} s`
const results = new Map<string, Promise<boolean>>()
const running = new Set<Promise<boolean>>()
for (const { script, after } of CHECKS) {
  while (running.size >= Math.max(2, availableParallelism())) await Promise.race(running)
  await results.get(after ?? '')
  const result = run(script)
  results.set(script, result)
  running.add(result)
  void result.finally(() => running.delete(result))
}
const failed: string[] = []
for (const [script, result] of results) if (!(await result)) failed.push(script)
console.log(
  failed.length > 0 ? `\nFailed: ${failed.join(', ')} (${seconds()}).` : `\nAll checks passed (${seconds()}).`,
)
process.exitCode = failed.length > 0 ? 1 : 0

/** Runs a script of package.json; prints one line when it passes, everything when it fails. */
async function run(script: string): Promise<boolean> {
  // What the build makes is not among the files that the cache looks at.
  const isCached = script !== 'build' && cache?.hasPassed(script) === true
  if (isCached) {
    console.log(`✔ pnpm ${script}: passed before on the same files (${seconds()})`)
    return true
  }
  const child = spawn(`pnpm --silent ${script}`, {
    cwd: new URL('..', import.meta.url),
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const lastLine = output.trimEnd().split('\n').at(-1) ?? ''
  console.log(`${code === 0 ? '✔' : '✘'} pnpm ${script}${script === 'test' ? `: ${lastLine}` : ''} (${seconds()})`)
  if (code !== 0) console.error(output)
  else cache?.add(script)
  return code === 0
}
