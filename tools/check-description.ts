// Reports what is wrong with the description (redocly.yaml), and what breaks clients of the released one. Needs no
// network.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { breakingChanges } from './breaking-changes.ts'

const RELEASED = 'docs/openapi-released.json'
const CURRENT = 'docs/openapi.json'

const root = new URL('..', import.meta.url)
const redocly = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
const { status } = spawnSync(process.execPath, [redocly, 'lint', CURRENT], {
  cwd: root,
  // Otherwise it asks the registry for a newer version of itself.
  env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  stdio: 'inherit',
})
if (status !== 0) process.exit(status ?? 1)

const found = breakingChanges(read(RELEASED), read(CURRENT))
for (const change of found) console.error(change)
if (found.length > 0) {
  console.error(`\n${CURRENT} breaks clients of ${RELEASED}. Add what is new without changing what they use.`)
  process.exitCode = 1
} else {
  console.log(`${CURRENT} is compatible with ${RELEASED}.`)
}

function read(file: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(file, root), 'utf8'), exactly as Reviver)
}

// TypeScript's library does not declare the third parameter of a reviver, which every supported Node passes.
type Reviver = (key: string, value: unknown) => unknown

/** A bound beyond 2^53 as a bigint, so that one more or less is seen. */
function exactly(_key: string, value: unknown, context: { source: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(context.source) : value
}
