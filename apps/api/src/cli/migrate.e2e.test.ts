import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { runProgram } from '../testing/run-program.test-support.ts'

let folder: string
const SETTINGS = {
  DATABASE_URL: 'sqlite:pets.db',
  API_KEYS_SHA256: 'a'.repeat(64),
  MIGRATE_ON_START: 'false',
}
const run = (command: string) => runHere(command, folder, SETTINGS)
beforeEach(async () => {
  folder = await temporaryFolder()
})

it('migrate migrates a database, and serve rejects one with pending migrations', async () => {
  await writeFile(join(folder, 'pets.db'), '')
  const rejected = await run('serve')
  expect(rejected.code).toBe(1)
  expect(rejected.stderr).toMatch(
    /^The SQLite database .* must be migrated first: it lacks 0001-create-schema/,
  )
  const program = runProgram('migrate', folder, SETTINGS)
  expect(await program.ended).toBe(0)
  expect(program.output.stdout).toMatch(/^Done: 0001-create-schema/)
  expect(await run('migrate')).toEqual({
    code: 0,
    stdout: 'The database is up to date.\n',
    stderr: '',
  })
})

it('commands that need an existing database create none', async () => {
  for (const command of ['keys list', 'keys revoke x']) {
    const stderr = 'Cannot open the SQLite database "pets.db": there is no such file.\n'
    expect(await run(command)).toEqual({ code: 1, stdout: '', stderr })
  }
  expect(await readdir(folder)).toEqual([])
})

it('migrate --check tells a missing, an empty, a newer and a foreign database apart', async () => {
  const missing = await run('migrate --check')
  expect(missing.stdout).toMatch(/^There is no database sqlite:pets\.db\.\nPending: 0001-/)
  expect([missing.code, await readdir(folder)]).toEqual([3, []])

  await writeFile(join(folder, 'pets.db'), '')
  const empty = await run('migrate --check')
  expect(empty.stdout).toMatch(
    /^The database sqlite:pets\.db is empty: it was never migrated\.\nPending: 0001-create-schema/,
  )
  expect(empty.code).toBe(3)

  await run('migrate')
  const change = (sql: string) => {
    const database = new DatabaseSync(join(folder, 'pets.db'))
    database.exec(sql)
    database.close()
  }
  change("insert into migration (name) values ('9999-add-breed')")
  expect(await run('migrate --check')).toMatchObject({
    code: 0,
    stdout: 'The database is up to date.\nMigrations of a newer version: 9999-add-breed\n',
  })
  const newer = await run('migrate --check --json')
  const state = { database: 'migrated', pending: [], newer: ['9999-add-breed'] }
  expect([newer.code, JSON.parse(newer.stdout)]).toEqual([0, state])
  change("delete from migration where name like '0001%'")
  const foreign = await run('migrate --check')
  expect(foreign.stderr).toMatch(/belongs to another program.* has the row "9999-add-breed"/)
  expect([foreign.code, foreign.stdout]).toEqual([1, ''])
})
