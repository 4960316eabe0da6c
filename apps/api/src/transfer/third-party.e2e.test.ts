import { readdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runShell } from './testing/run-shell.test-support.ts'

const FROM_ROOT = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const NDJSON = FROM_ROOT('examples/persistence-adapter/src/ndjson-persistence.ts')
const ONE_BY_ONE =
  'This adapter has no bulk access: pets are stored one by one, and what is interrupted cannot be continued.\n'
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
        stderr: ONE_BY_ONE,
      })
    }
    const exported = await run('pet-store export --no-ids --format csv', MODULE)
    expect(exported.stdout).toBe(`${CSV}Rex,1,sold\nBella,9007199254740993,\n`)
    const seeded = await run('pet-store seed --count 250 --seed 1', MODULE)
    expect(seeded.stdout).toMatch(/^Stored 250 invented pets\./)
    expect(seeded.stderr).toBe(ONE_BY_ONE)
    expect((await run('pet-store export', MODULE)).stdout.trim().split('\n')).toHaveLength(254)
  })

  it.each(['--from pets.ndjson --to sqlite:pets.db', '--from sqlite:seeded.db --to pets.ndjson'])(
    'is not copied, and the target is not created: %s',
    async (databases) => {
      await run('pet-store seed --count 1', { DATABASE_URL: 'sqlite:seeded.db' })
      const { code, stderr } = await run(`pet-store copy ${databases}`, MODULE)
      expect(stderr).toMatch(/^The persistence module ".*" has no bulk access, which this command needs\.\n$/)
      expect({ code, files: await readdir(folder) }).toEqual({ code: 1, files: ['seeded.db'] })
    },
  )
})

it('a third-party adapter with bulk access recognises a file that was imported', async () => {
  const sqlite = JSON.stringify(FROM_ROOT('packages/persistence-sqlite/src/index.ts'))
  await writeFile(
    `${folder}/adapter.mjs`,
    `export { openSqlitePersistence as default, openSqliteBulkAccess as openBulkAccess } from ${sqlite}`,
  )
  await writeFile(`${folder}/pets.csv`, CSV)
  const settings = { PERSISTENCE_MODULE: './adapter.mjs', DATABASE_URL: 'sqlite:pets.db' }
  expect((await run('pet-store import pets.csv', settings)).stdout).toBe('Imported 2 pets.\n')
  expect((await run('pet-store import pets.csv', settings)).stderr).toMatch(/^This file was imported on /)
})
