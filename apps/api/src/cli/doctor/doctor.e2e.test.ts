import { once } from 'node:events'
import { chmod, readdir, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { createApiKey } from '@pet-store/access'
import { temporaryFolder } from '@pet-store/testing'
import { runSql } from '@pet-store/testing-postgres'
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest'
import { openPersistence } from '../../persistence/open-persistence.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { runHere } from '../../testing/run-command.test-support.ts'
import { DATABASES } from '../../transfer/testing/databases.test-support.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

/** The errors and warnings of doctor, and its exit code. */
async function findings(settings: Record<string, string> = {}, options = {}) {
  const { code, stdout } = await runHere('doctor', folder, settings, options)
  return { code, found: stdout.match(/^(?:error|warning).*\n +->.*$/gm) ?? [] }
}

it('doctor finds nothing wrong with an empty folder, and leaves it empty', async () => {
  const { code, stdout } = await runHere('doctor', folder)
  expect(stdout).toMatch(
    /^ok {7}database .* does not exist and must be created\n +-> serve does that when it starts$/m,
  )
  expect(code).toBe(0)
  expect(await readdir(folder)).toEqual([])
  expect(await findings({ MIGRATE_ON_START: 'false' })).toEqual({
    code: 1,
    found: [
      expect.stringMatching(
        /^error .* does not exist and must be created\n +-> run pet-store migrate$/,
      ),
    ],
  })
})

it('doctor checks each part of a database that is migrated', async () => {
  const settings = { DATABASE_URL: 'sqlite:pets.db', MIGRATE_ON_START: 'false' }
  await writeFile(`${folder}/pets.db`, '')
  expect((await findings(settings)).found).toEqual([
    expect.stringMatching(
      /^error {4}migrations {2}sqlite:pets.db lacks 0001-.*\n +-> run pet-store migrate$/,
    ),
  ])
  expect((await runHere('migrate', folder, settings)).code).toBe(0)
  const migrated = await runHere('doctor --json', folder, settings)
  expect(migrated.code).toBe(0)
  const states = (JSON.parse(migrated.stdout) as { check: string; state: string }[]).map(
    ({ check, state }) => `${check} ${state}`,
  )
  expect(states.join(', ')).toBe(
    'program ok, settings ok, port ok, disk ok, migrations ok, database ok, keys warning, clock ok',
  )
})

it('doctor lists misspelt variables with invalid ones', async () => {
  const { stdout, stderr } = await runHere('doctor', folder, { DATABASE_ULR: 'x', PORT: 'x' })
  expect(stdout).toMatch(
    /^warning {2}settings {4}DATABASE_ULR is not a setting\n +-> did you mean DATABASE_URL\?$/m,
  )
  expect(stdout).toMatch(/^error {4}settings {4}PORT must be/m)
  expect(stderr).toBe('')
})

it('doctor warns that its own clock or the clock of another instance differs', async () => {
  const settings = { ...readSettings({}), databaseUrl: `sqlite:${folder}/pets.db` }
  const { apiKeys, close } = await openPersistence(settings)
  const { key } = createApiKey({ name: 'kiosk' }, { by: 'Ada' })
  await apiKeys.add(key)
  await apiKeys.markUsed([{ id: key.id, at: new Date('2999-01-01') }])
  await close()
  expect(await findings({ DATABASE_URL: settings.databaseUrl })).toEqual({
    code: 0,
    found: [
      expect.stringMatching(/^warning {2}clock {7}a key was used at 2999-.*\n +-> .* \(NTP\)$/),
    ],
  })
})

it('doctor warns that the clock of the database differs', async () => {
  const sqlite = import.meta.resolve('@pet-store/persistence-sqlite')
  await writeFile(
    `${folder}/adapter.mjs`,
    `import { openSqlitePersistence } from ${JSON.stringify(sqlite)}
     export default async (options) => ({
       ...(await openSqlitePersistence(options)),
       readClock: async () => new Date(Date.now() + 3_600_000),
     })`,
  )
  const DATABASE_URL = `sqlite:${folder}/pets.db`
  await runHere('migrate', folder, { DATABASE_URL })
  const settings = { PERSISTENCE_MODULE: './adapter.mjs', DATABASE_URL, MIGRATE_ON_START: 'false' }
  const { code, found } = await findings(settings)
  expect(code).toBe(0)
  expect(found).toContainEqual(
    expect.stringMatching(
      /^warning {2}clock {7}the clock of the database says 2.*Z, this one 2.*Z\n +-> .* \(NTP\)$/,
    ),
  )
})

it('doctor reports invalid settings', async () => {
  const { code, found } = await findings({ PORT: 'x', LOG_LEVEL: 'y' })
  expect(code).toBe(1)
  expect(found).toEqual([
    expect.stringMatching(
      /^error {4}settings {4}PORT must be an integer from 0 to 65535, got "x"$/m,
    ),
    expect.stringMatching(/^error {4}settings {4}LOG_LEVEL must be one of/m),
  ])
})

it('doctor reports the invalid URL of a file as an invalid setting', async () => {
  const { code, found } = await findings({ DATABASE_URL: 'sqlite:pets.db?mode=ro' })
  expect(code).toBe(1)
  expect(found).toEqual([
    expect.stringMatching(/^error {4}settings {4}An SQLite URL must have no parameters/m),
  ])
})

it('doctor reports a database that cannot be opened, without its password', async () => {
  const DATABASE_URL = 'postgres://pets:secret@127.0.0.1:1/pets'
  const unavailable = await runHere('doctor', folder, { DATABASE_URL })
  expect(unavailable.code).toBe(1)
  expect(unavailable.stdout).toMatch(/^error {4}database .*127\.0\.0\.1/m)
  expect(JSON.stringify(unavailable)).not.toContain('secret')
})

it('doctor says that a PostgreSQL database is missing, which serve does not create', async () => {
  const missing = Object.assign(new URL(await DATABASES.PostgreSQL()), { pathname: '/nowhere' })
  expect(await findings({ DATABASE_URL: missing.href })).toEqual({
    code: 1,
    found: [
      expect.stringMatching(
        /^error {4}database .*\/nowhere does not exist; serve creates none\n +-> check/,
      ),
    ],
  })
})

it('doctor and migrate --check say that this user may not create the tables', async () => {
  const url = new URL(await DATABASES.PostgreSQL())
  const role = `pet_clerk_${process.pid}`
  await runSql(url.href, `create role ${role} login; revoke create on schema public from public`)
  onTestFinished(async () => void (await runSql(inject('postgresUrl'), `drop role ${role}`)))
  const settings = { DATABASE_URL: Object.assign(url, { username: role }).href }
  expect((await findings(settings)).found).toEqual([
    expect.stringMatching(/^error {4}database .* may not create tables in the schema "public"/),
  ])
  const { stdout } = await runHere('migrate --check', folder, settings)
  expect(stdout).toMatch(/^They cannot run: the user "pet_clerk_\d+" may not create tables/m)
})

it('doctor names a replica that serves no lists, which stops no start', async () => {
  const settings = {
    DATABASE_URL: await DATABASES.PostgreSQL(),
    DATABASE_REPLICA_URLS: 'postgres://pets:secret@127.0.0.1:1/pets',
  }
  expect((await runHere('migrate', folder, settings)).code).toBe(0)
  const { code, found } = await findings(settings)
  expect(code).toBe(0)
  const warning = found.find((finding) => finding.startsWith('warning  replica     '))
  expect(warning).toContain('The PostgreSQL replica "127.0.0.1:1/pets" serves no lists: ')
  expect(warning).toMatch(/\n +-> .*DATABASE_REPLICA_URLS/)
  expect(found.join()).not.toContain('secret')
})

it('doctor names a used port, a file in place of the folder, a missing module', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect((await findings({ PORT: String(port) })).found).toEqual([
    expect.stringMatching(
      /^error {4}port {8}Cannot listen on .*\. Stop it, or set PORT to another number\.\n/,
    ),
  ])
  await writeFile(`${folder}/data`, '')
  expect((await findings()).found).toEqual([
    expect.stringMatching(
      /^error {4}disk {8}\.\/data is a file, not a folder\n +-> DATABASE_URL needs a file/,
    ),
  ])
  expect((await findings({ PERSISTENCE_MODULE: './none.mjs' })).found).toEqual([
    expect.stringMatching(
      /^error {4}module {6}The persistence module .*\n +-> .* correct PERSISTENCE_MODULE/,
    ),
  ])
})

it('doctor accepts a port on which a pet store listens', async () => {
  const server = createHttpServer((_req, res) => res.end('{"status":"ok"}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const { code, stdout } = await runHere('doctor', folder, { PORT: String(port) })
  expect(stdout).toMatch(/^ok {7}port {8}PORT \d+ is used by a pet store$/m)
  expect(code).toBe(0)
})

it('doctor names a database that is newer than the program', async () => {
  await runHere('migrate', folder, { DATABASE_URL: 'sqlite:pets.db' })
  const database = new DatabaseSync(`${folder}/pets.db`)
  database.exec("insert into migration (name) values ('9999-later')")
  database.close()
  const { found } = await findings({ DATABASE_URL: 'sqlite:pets.db' })
  expect(found[0]).toMatch(
    /^warning {2}migrations {2}sqlite:pets.db is newer than this program: it has 9999-later\n/,
  )
})

it('doctor names a database file that this user may not write', async () => {
  await runHere('migrate', folder)
  expect((await findings()).code).toBe(0)
  await chmod(`${folder}/data`, 0o777)
  await chmod(folder, 0o777)
  await chmod(`${folder}/data/pet-store.db`, 0o444)
  expect(await findings({}, { asOrdinaryUser: true })).toEqual({
    code: 1,
    found: [
      expect.stringMatching(
        /^error {4}disk {8}EACCES.*pet-store\.db'\n +-> DATABASE_URL needs a file/,
      ),
    ],
  })
})
