// Lints the SQL of the PostgreSQL migrations with squawk, which knows what locks a table for long
// or breaks the release before. docs/decisions/0006-migrations.md
//
// Its options are in .squawk.toml. It reads SQL; the migrations of MikroORM are classes, whose SQL
// is there only once `up` has run.
import { spawnSync } from 'node:child_process'
import { MIGRATIONS } from '../packages/persistence-postgres/src/schema.ts'

for (const { name, class: Migration } of MIGRATIONS) {
  if (Migration === undefined) throw new Error(`${name} has no class.`)
  // `up` only collects statements; it uses neither a driver nor a configuration.
  const migration = new Migration(undefined, undefined)
  await migration.up?.()
  const sql = (migration.getQueries?.() ?? []).map((query) => `${String(query)};\n`)
  const { status, error } = spawnSync('squawk', [`--stdin-filepath=${name}.sql`], {
    input: sql.join(''),
    stdio: ['pipe', 'inherit', 'inherit'],
    // A script of package.json has it on the path; on Windows only a shell finds it there.
    shell: process.platform === 'win32',
  })
  if (error !== undefined) throw error
  if (status !== 0) process.exitCode = 1
}
