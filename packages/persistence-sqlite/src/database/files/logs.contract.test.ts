import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, expect, it } from 'vitest'
import { backupSqlite } from '../../backup.ts'
import { openSqliteBulkAccess } from '../../bulk-access.ts'
import { migrateSqlite, readSqliteMigrations } from '../../migrations.ts'
import { openSqlitePersistence } from '../../open-persistence.ts'
import { addPets, addPetsAndKill } from '../../testing/database-files.test-support.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'pets.db')
  addPetsAndKill(`sqlite:${path}`, 3)
})

/** Expects that every function that opens a file rejects with this sentence. */
async function expectNotOpened(sentence: string): Promise<void> {
  const url = `sqlite:${path}`
  const openings = [
    openSqlitePersistence({ url, mode: 'migrate' }),
    openSqlitePersistence({ url, mode: 'write' }),
    openSqlitePersistence({ url, mode: 'read' }),
    openSqliteBulkAccess({ url, mode: 'migrate' }),
    migrateSqlite({ url }),
    readSqliteMigrations({ url }),
    backupSqlite({ url }, join(folder, 'backup.db')),
  ]
  for (const opening of openings) await expect(opening).rejects.toThrow(sentence)
}

const countPets = async () => {
  const bulk = await openSqliteBulkAccess({ url: `sqlite:${path}`, mode: 'read' })
  const count = await bulk.countPets()
  await bulk.close()
  return count
}

it('a file with the log of a killed process is opened', async () => {
  expect(await countPets()).toBe(3)
})

it('no database is created beside a lone log, which applies once its file is back', async () => {
  const log = readFileSync(`${path}-wal`)
  renameSync(path, join(folder, 'moved'))
  await expectNotOpened(
    `the file is missing, but its log ${JSON.stringify(`${path}-wal`)} is there`,
  )
  expect([existsSync(path), readFileSync(`${path}-wal`).equals(log)]).toEqual([false, true])
  renameSync(join(folder, 'moved'), path)
  expect(await countPets()).toBe(3)
})

it('no database is created in an emptied file beside its log', async () => {
  writeFileSync(path, '')
  await expectNotOpened('the file is empty, but its log')
})

it('the log is found beside the file that a link leads to', async () => {
  renameSync(path, join(folder, 'moved'))
  const linked = path
  path = join(folder, 'link.db')
  symlinkSync(linked, path)
  await expectNotOpened(`the file is missing, but its log ${JSON.stringify(`${linked}-wal`)}`)
})

it('no log is applied to a file that it was not written for', async () => {
  const other = join(folder, 'other.db')
  copyFileSync(path, other)
  copyFileSync(`${path}-wal`, `${other}-wal`)
  const backup = join(folder, 'backup.db')
  await backupSqlite({ url: `sqlite:${other}` }, backup)
  copyFileSync(backup, path)
  await expectNotOpened(
    `the log ${JSON.stringify(`${path}-wal`)} beside it was written for another`,
  )
  rmSync(`${path}-wal`)
  expect(await countPets()).toBe(3)
})

it('no log is applied to an older copy of its file, but to the file once it is back', async () => {
  expect(await countPets()).toBe(3)
  const older = join(folder, 'older')
  const newer = join(folder, 'newer')
  copyFileSync(path, older)
  await addPets(`sqlite:${path}`, 2_000)
  addPetsAndKill(`sqlite:${path}`, 30)
  renameSync(path, newer)
  copyFileSync(older, path)
  await expectNotOpened(`it does not fit the log ${JSON.stringify(`${path}-wal`)} beside it`)
  renameSync(newer, path)
  expect(await countPets()).toBe(2_033)
})
