import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { backupSqlite } from '../../backup.ts'
import { openSqliteBulkAccess } from '../../bulk-access.ts'
import { createGroupedWrites } from '../../driver/grouped-writes.ts'
import { openSqlitePersistence, type SqlitePersistence } from '../../open-persistence.ts'
import { openSqliteDatabase } from '../database.ts'

let folder: string
let path: string
let persistence: SqlitePersistence

const open = () => openSqlitePersistence({ url: `sqlite:${path}`, mode: 'migrate' })

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'pets.db')
  persistence = await open()
  await persistence.pets.add(aNewPet())
})
afterEach(async () => {
  await persistence.close()
})

/** Another program adds a pet, without the checks of this package, and ends. */
function addByOtherProgram(): void {
  const code = `
    const database = new (require('better-sqlite3'))(${JSON.stringify(path)})
    database.exec("insert into pet (name, category_id) values ('Other', 1)")
    database.close()`
  const { status } = spawnSync(process.execPath, ['--eval', code], { cwd: import.meta.dirname })
  expect(status).toBe(0)
}

async function namesAfterReopening(): Promise<readonly string[]> {
  await persistence.close()
  persistence = await open()
  return (await persistence.pets.list({ limit: 10 })).map(({ name }) => name)
}

it.each(
  ['', '-wal', '-shm'].flatMap((file) => [
    [`pets.db${file}`, 'deleted'] as const,
    [`pets.db${file}`, 'moved'] as const,
    [`pets.db${file}`, 'replaced'] as const,
  ]),
)('a database stores nothing, and fails its check, after %s was %s', async (name, how) => {
  const file = join(folder, name)
  if (how === 'moved') renameSync(file, `${file}.moved`)
  else rmSync(file)
  if (how === 'replaced') writeFileSync(file, '')
  const lost = {
    code: 'persistence_unavailable',
    message: expect.stringContaining(`${JSON.stringify(file)} was moved, replaced or`) as string,
  }
  await expect(persistence.check()).rejects.toMatchObject(lost)
  await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({
    ...lost,
    outcome: 'not_stored',
  })
})

it('a database serves nothing, and damages nothing, if a backup is copied over it', async () => {
  const backup = join(folder, 'backup.db')
  await backupSqlite({ url: `sqlite:${path}` }, backup)
  await addAndMoveIntoFile(20)
  const { id } = await persistence.pets.add(aNewPet({ name: 'in the log' }))
  const original = readFileSync(path)
  copyFileSync(backup, path)
  const lost = {
    code: 'persistence_unavailable',
    message: expect.stringContaining('was overwritten while it was in use') as string,
  }
  await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({
    ...lost,
    outcome: 'not_stored',
  })
  await expect(persistence.check()).rejects.toMatchObject(lost)
  await expect(persistence.pets.list({ limit: 1 })).rejects.toMatchObject(lost)
  await expect(persistence.apiKeys.list()).rejects.toMatchObject(lost)
  await persistence.close()

  expect(readFileSync(path)).toEqual(readFileSync(backup))
  await expect(open()).rejects.toThrow('was written for another file')
  const log = readFileSync(`${path}-wal`)
  rmSync(`${path}-wal`)
  persistence = await open()
  expect(await persistence.pets.list({ limit: 9 })).toHaveLength(1)
  await persistence.close()
  writeFileSync(path, original)
  writeFileSync(`${path}-wal`, log)
  persistence = await open()
  expect(await persistence.pets.find(id)).toMatchObject({ name: 'in the log' })
})

/** Adds pets of many pages, and moves them from the log into the file. */
async function addAndMoveIntoFile(count: number): Promise<void> {
  const pets = Array.from({ length: count }, () => aNewPet({ name: 'x'.repeat(1_000) }))
  await Promise.all(pets.map((pet) => persistence.pets.add(pet)))
  const other = new Database(path)
  other.pragma('wal_checkpoint(truncate)')
  other.close()
}

it.each(['-wal', '-shm'])(
  'a database loses nothing when it is closed after %s was deleted',
  async (name) => {
    rmSync(`${path}${name}`)
    expect(await namesAfterReopening()).toEqual([aNewPet().name])
  },
)

it('a pet is not reported as stored if its file moves while it is committed', async () => {
  const database = await openSqliteDatabase(path)
  const exec = database.exec.bind(database)
  database.exec = (sql) => {
    const result = exec(sql)
    if (sql === 'commit') renameSync(path, `${path}.moved`)
    return result
  }
  await expect(createGroupedWrites(database).add(() => 1, [])).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'unknown',
  })
  renameSync(`${path}.moved`, path)
  database.close()
})

it('a pet is not reported as stored if its file cannot be read after the commit', ({ skip }) => {
  skip(process.platform !== 'linux', 'needs /proc')
  // In a process of its own, because descriptors that are closed may be opened for other files.
  const code = `
    import { closeSync, readdirSync, readFileSync, statSync } from 'node:fs'
    import { createGroupedWrites } from '../../driver/grouped-writes.ts'
    import { openSqliteDatabase } from '../database.ts'
    import { closeDatabase } from './watched-files.ts'
    const path = ${JSON.stringify(path)}
    const database = await openSqliteDatabase(path)
    const isReadOnly = (name) =>
      /^flags:\\s*\\d*0$/m.test(readFileSync('/proc/self/fdinfo/' + name, 'utf8'))
    const { ino } = statSync(path)
    const isOfFile = (name) =>
      statSync('/proc/self/fd/' + name, { throwIfNoEntry: false })?.ino === ino
    const descriptors = readdirSync('/proc/self/fd').filter((name) =>
      isOfFile(name) && isReadOnly(name))
    const exec = database.exec.bind(database)
    database.exec = (sql) => {
      exec(sql)
      if (sql === 'commit') for (const descriptor of descriptors) closeSync(Number(descriptor))
    }
    await createGroupedWrites(database).add(() => 1, []).catch((error) =>
      console.log(error.code, error.outcome))
    closeDatabase(database)`
  const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, node, { cwd: import.meta.dirname })
  expect(String(stderr)).toBe('')
  expect(String(stdout)).toBe('persistence_unavailable unknown\n')
})

it('an import stores nothing in a file that was moved', async () => {
  const bulk = await openSqliteBulkAccess({ url: `sqlite:${path}`, mode: 'write' })
  renameSync(path, `${path}.moved`)
  await expect(bulk.addPets([aNewPet()])).rejects.toMatchObject({
    code: 'persistence_unavailable',
  })
  renameSync(`${path}.moved`, path)
  await bulk.close()
})

it('a database keeps what others store after the index of its log was deleted', async () => {
  rmSync(`${path}-shm`)
  addByOtherProgram()
  await expect(persistence.pets.add(aNewPet())).rejects.toMatchObject({ outcome: 'not_stored' })
  expect(await namesAfterReopening()).toEqual([aNewPet().name, 'Other'])
})

it.each([
  ['-wal', 'write'],
  ['-shm', 'read'],
] as const)(
  'a database is not opened while another process has it open without %s',
  async (name, mode) => {
    const file = `${path}${name}`
    rmSync(file)
    const code = `
    import { openSqlitePersistence } from '../../open-persistence.ts'
    await openSqlitePersistence({ url: ${JSON.stringify(`sqlite:${path}`)}, mode: '${mode}' })`
    const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
    const { stderr } = spawnSync(process.execPath, node, { cwd: import.meta.dirname })
    expect(String(stderr)).toContain(`has it open although ${JSON.stringify(file)} is gone`)
    await persistence.close()
  },
)

it('a database that is mounted without its folder is not opened', async ({ skip }) => {
  await persistence.close()
  const [other, mountPoint] = [join(folder, 'other'), join(folder, 'other', 'the pets.db')]
  mkdirSync(other)
  writeFileSync(mountPoint, '')
  const { status, error, stderr } = spawnSync('mount', ['--bind', path, mountPoint])
  const isMounted = error === undefined && status === 0
  if (!isMounted) console.log(`Skipped: a file cannot be mounted here: ${error ?? stderr}`)
  skip(!isMounted, 'A file cannot be mounted here.')
  onTestFinished(() => void spawnSync('umount', ['--lazy', mountPoint]))
  const url = `sqlite:${mountPoint}`
  await expect(openSqlitePersistence({ url })).rejects.toThrow('the file is mounted alone')
  expect(readdirSync(other)).toEqual(['the pets.db'])
  // What is stored can still be read.
  const { pets, close } = await openSqlitePersistence({ url, mode: 'read' })
  expect(await pets.list({ limit: 1 })).toMatchObject([{ name: 'Rex' }])
  await close()
})

it('a database on a read-only file system is not opened to be written, and says why', async ({
  skip,
}) => {
  await persistence.close()
  const mountPoint = join(folder, 'other')
  mkdirSync(mountPoint)
  const mounts = [
    ['--bind', folder, mountPoint],
    ['-o', 'remount,ro,bind', mountPoint],
  ].map((args) => spawnSync('mount', args))
  onTestFinished(() => void spawnSync('umount', ['--lazy', mountPoint]))
  skip(
    mounts.some(({ status }) => status !== 0),
    'A folder cannot be mounted here.',
  )
  const url = `sqlite:${join(mountPoint, 'pets.db')}`
  await expect(openSqlitePersistence({ url })).rejects.toThrow('is read-only')
  const { pets, close } = await openSqlitePersistence({ url, mode: 'read' })
  expect(await pets.list({ limit: 9 })).toHaveLength(1)
  await close()
})

it('a database with several names (hard links) is neither opened nor backed up', async () => {
  await persistence.close()
  linkSync(path, join(folder, 'other.db'))
  await expect(open()).rejects.toThrow('the file has 2 names (hard links)')
  const backup = backupSqlite({ url: `sqlite:${path}` }, join(folder, 'backup.db'))
  await expect(backup).rejects.toThrow('the file has 2 names (hard links)')
  rmSync(join(folder, 'other.db'))
  persistence = await open()
})

it('opening opens the file that got the name while it waited for a lock', async () => {
  await persistence.close()
  const other = new Database(path)
  other.pragma('journal_mode = delete')
  other.exec('begin exclusive')
  const opening = open()
  renameSync(path, `${path}.moved`)
  writeFileSync(path, '')
  other.exec('commit')
  other.close()
  persistence = await opening
  expect(await persistence.pets.list({ limit: 1 })).toEqual([])
  await persistence.check()
})

it('a relative path means the same file in another working directory', async () => {
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  const options = { url: 'sqlite:relative.db', mode: 'migrate' } as const
  const opened = await openSqlitePersistence(options)
  process.chdir(before)
  const pet = await opened.pets.add(aNewPet())
  await opened.check()
  expect(await opened.isMigrated()).toBe(true)
  await opened.close()

  process.chdir(folder)
  const bulk = await openSqliteBulkAccess(options)
  process.chdir(before)
  expect(await bulk.readPets({ limit: 10 })).toEqual([pet])
  await bulk.close()
  expect(readdirSync(folder)).toContain('relative.db')
  expect(readdirSync(folder)).not.toContain('relative.db-wal')
})
