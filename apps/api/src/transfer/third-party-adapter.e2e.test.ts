import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runShell } from './testing/run-shell.test-support.ts'

const FROM_ROOT = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const NDJSON = FROM_ROOT('examples/persistence-adapter/src/ndjson-persistence.ts')
const NO_BULK_ACCESS =
  /^The persistence module ".*" has no bulk access, which this command needs\.\n$/
const CSV = 'name,categoryId,status\nRex,1,sold\nBella,9007199254740993,\n'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})
const run = (line: string, settings: Record<string, string>) => runShell(line, folder, settings)

describe('a third-party adapter without bulk access', () => {
  const MODULE = { PERSISTENCE_MODULE: NDJSON, DATABASE_URL: 'pets.ndjson' }

  it('a third-party adapter without bulk access is seeded', async () => {
    const { code, stdout, stderr } = await run('pet-store seed --count 250 --seed 1', MODULE)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Stored 250 invented pets\./)
    const lines = (await readFile(`${folder}/pets.ndjson`, 'utf8')).trim().split('\n')
    expect(lines.filter((line) => line.includes('"name"'))).toHaveLength(250)
  })

  it.each(['import pets.csv', 'export --output pets.csv'])(
    'a third-party adapter without bulk access is not opened by %s',
    async (command) => {
      await writeFile(`${folder}/pets.csv`, CSV)
      const { code, stderr } = await run(`pet-store ${command}`, MODULE)
      expect(stderr).toMatch(NO_BULK_ACCESS)
      expect({ code, files: await readdir(folder) }).toEqual({ code: 1, files: ['pets.csv'] })
      expect(await readFile(`${folder}/pets.csv`, 'utf8')).toBe(CSV)
    },
  )

  it.each(['--from pets.ndjson --to sqlite:pets.db', '--from sqlite:seeded.db --to pets.ndjson'])(
    'a third-party adapter without bulk access is not copied, no target created: %s',
    async (databases) => {
      await run('pet-store seed --count 1', { DATABASE_URL: 'sqlite:seeded.db' })
      const { code, stderr } = await run(`pet-store copy ${databases}`, MODULE)
      expect(stderr).toMatch(NO_BULK_ACCESS)
      expect({ code, files: await readdir(folder) }).toEqual({ code: 1, files: ['seeded.db'] })
    },
  )
})

it('a third-party adapter with bulk access recognises a file that was imported', async () => {
  const sqlite = JSON.stringify(FROM_ROOT('packages/persistence-sqlite/src/index.ts'))
  await writeFile(
    `${folder}/adapter.mjs`,
    'export { openSqlitePersistence as default, openSqliteBulkAccess as openBulkAccess } ' +
      `from ${sqlite}`,
  )
  await writeFile(`${folder}/pets.csv`, CSV)
  const settings = { PERSISTENCE_MODULE: './adapter.mjs', DATABASE_URL: 'sqlite:pets.db' }
  expect((await run('pet-store import pets.csv', settings)).stdout).toBe('Imported 2 pets.\n')
  expect((await run('pet-store import pets.csv', settings)).stderr).toMatch(
    /^This file was imported on /,
  )
})
