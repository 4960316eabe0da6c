import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runShell } from './testing/run-shell.test-support.ts'

const FROM_ROOT = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const NDJSON = FROM_ROOT('examples/persistence-adapter/src/ndjson-persistence.ts')
const CSV = 'name,categoryId,status\nRex,1,sold\nBella,9007199254740993,\n'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})
const run = (line: string, settings: Record<string, string>) => runShell(line, folder, settings)

describe('a third-party adapter without bulk access', () => {
  const MODULE = { PERSISTENCE_MODULE: NDJSON, DATABASE_URL: 'pets.ndjson' }

  it('imports, exports and seeds one pet at a time, and says so first', async () => {
    await writeFile(`${folder}/pets.csv`, CSV)
    for (let time = 1; time <= 2; time += 1) {
      expect(await run('pet-store import pets.csv', MODULE)).toEqual({
        code: 0,
        stdout: 'Imported 2 pets.\n',
        stderr:
          'This adapter has no bulk access: pets are stored one by one, and an interrupted import cannot continue.\n',
      })
    }
    const exported = await run('pet-store export --no-ids --format csv', MODULE)
    expect(exported.stdout).toBe(`${CSV}Rex,1,sold\nBella,9007199254740993,\n`)
    const seeded = await run('pet-store seed --count 250 --seed 1', MODULE)
    expect(seeded.stdout).toMatch(/^Stored 250 invented pets\./)
    expect(seeded.stderr).toBe('This adapter has no bulk access: pets are stored one by one.\n')
    expect((await run('pet-store export', MODULE)).stdout.trim().split('\n')).toHaveLength(254)
  })

  it('is copied to SQLite with the ids of its pets, and receives pets of SQLite under new ids', async () => {
    await run('pet-store seed --count 120 --seed 1', MODULE)
    const copied = await run('pet-store copy --from pets.ndjson --to sqlite:pets.db', MODULE)
    expect(copied).toMatchObject({ code: 0, stderr: 'The source has no bulk access: only pets are copied.\n' })
    expect(copied.stdout).toMatch(/ and sqlite:pets.db both hold 120 pets\. SHA-256 of the pets: [0-9a-f]{64}\n$/)
    const before = await run('pet-store export', MODULE)
    expect((await run('pet-store export', { DATABASE_URL: 'sqlite:pets.db' })).stdout).toBe(before.stdout)

    const back = 'pet-store copy --from sqlite:pets.db --to back.ndjson'
    const received = await run(back, MODULE)
    expect(received).toMatchObject({
      code: 0,
      stderr: 'The target has no bulk access: only pets are copied, and they get new ids.\n',
    })
    expect(received.stdout).toMatch(/^Copied 120 pets from sqlite:pets.db to /)
    const sorted = 'pet-store export --no-ids | sort'
    expect((await run(sorted, { ...MODULE, DATABASE_URL: 'back.ndjson' })).stdout).toBe(
      (await run(sorted, MODULE)).stdout,
    )
    const again = await run(back, MODULE)
    expect(again.stderr).toContain(
      'The target holds pets. It must be empty, because it cannot store pets under their ids.',
    )
    expect(again.code).toBe(1)
  })
})

it.each([
  ['import pets.csv', 'pets are stored one by one, and an interrupted import cannot continue.'],
  ['copy --from sqlite:none.db --to pets.mine', 'only pets are copied, and they get new ids.'],
])('says before it opens anything what a third-party adapter cannot do: %s', async (command, sentence) => {
  await writeFile(`${folder}/closed.mjs`, "export default async () => { throw new Error('It was opened.') }")
  await writeFile(`${folder}/pets.csv`, CSV)
  const { code, stderr } = await run(`pet-store ${command}`, {
    PERSISTENCE_MODULE: './closed.mjs',
    DATABASE_URL: 'pets.mine',
  })
  expect(code).toBe(1)
  expect(stderr.split('\n')[0]).toMatch(new RegExp(`has no bulk access: ${sentence}$`))
})

it('a third-party adapter with bulk access continues an interrupted import', async () => {
  const sqlite = JSON.stringify(FROM_ROOT('packages/persistence-sqlite/src/index.ts'))
  await writeFile(
    `${folder}/adapter.mjs`,
    `export { openSqlitePersistence as default, openSqliteBulkAccess as openBulkAccess } from ${sqlite}`,
  )
  await writeFile(`${folder}/pets.csv`, `${CSV}bad,one,\n`)
  const settings = { PERSISTENCE_MODULE: './adapter.mjs', DATABASE_URL: 'sqlite:pets.db' }
  expect(await run('pet-store import pets.csv', settings)).toMatchObject({ code: 1 })
  const again = await run('pet-store import pets.csv --on-error skip --report /dev/null', settings)
  expect(again.stdout).toBe('Imported 0 pets, after 2 pets of an earlier run; 1 line rejected.\n')
})
