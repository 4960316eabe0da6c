// Lints the SQL of the PostgreSQL migrations with squawk, which knows what locks a table for long
// or breaks the release before. docs/decisions/0006-migrations.md
import { spawnSync } from 'node:child_process'
import { MIGRATIONS } from '../packages/persistence-postgres/src/schema.ts'

/**
 * What was looked at and is accepted, by migration. A migration that a release has brought is never
 * changed.
 */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  // An identity column is as exact, and `bigserial` is what every engine knows.
  '0001-create-schema': ['prefer-identity'],
}

/**
 * How long a migration may take is the operator's decision; the lock timeout is what
 * `migrations.ts` sets.
 */
const OPTIONS = [
  '--assume-in-transaction',
  '--pg-version=14.0',
  '--exclude=require-statement-timeout',
]
const LOCK_TIMEOUT = "set lock_timeout = '2s';\n"

for (const { name, class: Migration } of MIGRATIONS) {
  if (Migration === undefined) throw new Error(`${name} has no class.`)
  // `up` only collects statements; it uses neither a driver nor a configuration.
  const migration = new Migration(undefined, undefined)
  await migration.up?.()
  const sql = (migration.getQueries?.() ?? []).map((query) => `${String(query)};\n`)
  const options = [
    ...OPTIONS,
    ...(ACCEPTED[name] ?? []).map((rule) => `--exclude=${rule}`),
    `--stdin-filepath=${name}.sql`,
  ]
  const { status, stdout, stderr, error } = spawnSync('squawk', options, {
    input: LOCK_TIMEOUT + sql.join(''),
    encoding: 'utf8',
    // A script of package.json has it on the path; on Windows only a shell finds it there.
    shell: process.platform === 'win32',
  })
  if (error !== undefined) throw error
  if (status === 0) continue
  console.log(stdout + stderr)
  process.exitCode = 1
}
