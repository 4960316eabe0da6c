import { readdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@pet-store/testing'
import { createDatabase, runSql } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { runProgram } from '../testing/run-program.test-support.ts'

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const SQLITE = fromRoot('packages/persistence-sqlite/src/index.ts')
const EXAMPLE = fromRoot('examples/persistence-adapter/src/ndjson-persistence.ts')

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

async function check(options: string, settings: Record<string, string> = {}) {
  const { ended, output } = runProgram(`adapter check ${options}`, folder, settings)
  return { code: await ended, ...output }
}

describe('pet-store adapter check', () => {
  it('shows the guarantees of SQLite beside a place that does not exist, and removes what it made', async () => {
    const { code, stdout, stderr } = await check('--url sqlite:pets.db')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^RESULT +CAPABILITY +TIME +GUARANTEE\nshown +pets +\d+ ms {2}returns every field/)
    expect(stdout).toMatch(/^shown +durability .*kill -9/m)
    expect(stdout).toMatch(/\nContract \d+\.\d+\.\d+: \d+ guarantees shown, \d+ not shown, 0 broken, in [\d.]+ s\.\n$/)
    expect(stderr).toContain('0 of ')
    expect(await readdir(folder)).toEqual([])
  })

  it('shows the guarantees of PostgreSQL in an empty database, and leaves it empty', async () => {
    const { url, drop } = await createDatabase(inject('postgresUrl'))
    const { code, stdout } = await check(`--url ${url} --json`)
    const report = JSON.parse(stdout) as { capabilities: object; guarantees: { result: string; reason?: string }[] }
    expect(report.guarantees.filter(({ result }) => result === 'broken')).toEqual([])
    expect(code).toBe(0)
    expect(report.capabilities).toMatchObject({ severalProcesses: true, replicas: true })
    expect(await runSql(url, "select 1 from pg_tables where schemaname = 'public'")).toEqual([])
    await runSql(url, 'create table theirs ()')
    expect(await check(`--url ${url}`)).toMatchObject({
      code: 2,
      stderr: 'The database is not empty: it has the tables theirs. Name an empty database.\n',
    })
    await drop()
    // Each of 160 cases migrates a database, which took two minutes on a machine with ten times the load.
  }, 600_000)

  it('shows the guarantees of a module that allows one process', async () => {
    const { code, stdout } = await check(`--module ${EXAMPLE} --url pets.ndjson`)
    expect(stdout).toMatch(/^shown .*rejects a second opening/m)
    expect(stdout).toMatch(/^shown .*kill -9/m)
    expect(code).toBe(0)
  })

  it('says which guarantees a module breaks, and that it does something outside of them', async () => {
    await writeFile(
      `${folder}/mine.mjs`,
      `import { openSqlitePersistence } from ${JSON.stringify(SQLITE)}
       Promise.reject(new Error('nobody waits for this'))
       export default async (options) => {
         const opened = await openSqlitePersistence(options)
         const list = async (query) => (await opened.pets.list(query)).toReversed()
         return { ...opened, pets: { ...boundTo(opened.pets), list } }
       }
       const boundTo = (pets) => ({ add: (...given) => pets.add(...given), addWithKey: (...given) => pets.addWithKey(...given), find: (id) => pets.find(id) })`,
    )
    const { code, stdout, stderr } = await check('--module ./mine.mjs --url sqlite:{place}.db')
    expect(code).toBe(1)
    expect(stdout).toMatch(/\nBroken: lists by ascending id/)
    expect(stderr).toContain('Outside of any case: nobody waits for this')
  })

  it.each([
    ['--json', 'Name an empty place with --url.'],
    [
      '--url mysql://host',
      'The URL must be sqlite: and the path of a file, or postgres://user:password@host/database. For an adapter of your own add --module.',
    ],
    ['--module ./none.mjs --url x', 'The persistence module "./none.mjs" cannot be loaded: Cannot find module'],
    ['--url sqlite:full.db', 'The file full.db is not empty. Name one that does not exist.'],
    ['--url sqlite:x.db --harness full.db', 'Unknown file extension ".db"'],
  ])('ends with 2 on wrong use: %s', async (options, message) => {
    await writeFile(`${folder}/full.db`, 'something')
    const { code, stderr } = await check(options)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('rejects a place of a module that has pets', async () => {
    const settings = { PERSISTENCE_MODULE: './mine.mjs', DATABASE_URL: 'sqlite:pets.db' }
    await writeFile(`${folder}/mine.mjs`, `export { openSqlitePersistence as default } from ${JSON.stringify(SQLITE)}`)
    const seeded = runProgram('seed --count 2', folder, settings)
    expect(await seeded.ended).toBe(0)
    expect(await check('--url sqlite:pets.db', settings)).toMatchObject({
      code: 2,
      stderr: 'This place is not empty, and a check writes many pets. Name an empty one with --url.\n',
    })
  })
})
