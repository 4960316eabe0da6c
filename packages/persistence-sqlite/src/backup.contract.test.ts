import { spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { backupSqlite } from './backup.ts'
import { openSqliteBulkAccess } from './bulk-access.ts'
import { restoreSqlite } from './restore.ts'
import {
  addPets,
  addPetsAndKill,
  countPets,
  openMigrated,
} from './testing/database-files.test-support.ts'

describe('SQLite backup', () => {
  let folder: string
  let path: string
  let url: string
  let backup: string

  beforeEach(async () => {
    folder = await temporaryFolder()
    path = join(folder, 'pets.db')
    url = `sqlite:${path}`
    backup = join(folder, 'backup.db')
  })

  it('a backup holds every stored pet of a writing service, and replaces a file', async () => {
    const { pets, close } = await openMigrated(url)
    await Promise.all(Array.from({ length: 50 }, () => pets.add(aNewPet())))
    // An empty file, such as mktemp makes; the second time the earlier backup.
    writeFileSync(backup, '')
    expect(await backupSqlite({ url }, backup)).toEqual({ pets: 50 })
    const adding = pets.add(aNewPet())
    expect(await backupSqlite({ url }, backup)).toEqual({ pets: 50 })
    await adding
    await close()
    expect(countPets(backup)).toBe(50)
    expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'pets.db'])
  })

  it('a backup holds what was stored when it began, and reports its progress', async () => {
    const { pets, close } = await openMigrated(url)
    // More than one step of the copy.
    const bulk = await openSqliteBulkAccess({ url })
    await bulk.addPets(Array.from({ length: 60_000 }, () => aNewPet({ name: 'x'.repeat(60) })))
    await bulk.close()
    const steps: number[] = []
    const totals = new Set<number>()
    const others: Promise<unknown>[] = []
    const report = await backupSqlite({ url }, backup, (bytes, totalBytes) => {
      steps.push(bytes)
      totals.add(totalBytes)
      if (others.length < 10) others.push(pets.add(aNewPet()))
    })
    await Promise.all(others)
    await close()
    expect(report).toEqual({ pets: 60_000 })
    expect(steps.length).toBeGreaterThan(1)
    expect(steps).toEqual(steps.toSorted((one, other) => one - other))
    expect([...totals]).toEqual([statSync(backup).size])
    expect(steps.at(-1)).toBe(statSync(backup).size)
  })

  it('a backup leaves an existing file as it is when it fails', async () => {
    const earlier = 'SQLite format 3\0, earlier'
    writeFileSync(path, 'not a database, '.repeat(100))
    writeFileSync(backup, earlier)
    await expect(backupSqlite({ url }, backup)).rejects.toThrow(
      'the file is not an SQLite database',
    )
    await expect(backupSqlite({ url: `sqlite:${folder}/missing.db` }, backup)).rejects.toThrow(
      'there is no such file',
    )
    expect(readFileSync(backup, 'utf8')).toBe(earlier)
  })

  it('a backup says that the folder of its file is missing, or is a file', async () => {
    await addPets(url, 1)
    for (const target of [join(folder, 'missing'), path]) {
      const file = join(target, 'backup.db')
      await expect(backupSqlite({ url }, file)).rejects.toThrow(
        `Cannot write ${JSON.stringify(file)}: there is no folder ${JSON.stringify(target)}.`,
      )
    }
  })

  it('a backup follows a link, and replaces neither the database nor other files', async () => {
    await addPets(url, 1)
    const toDatabase = join(folder, 'same.db')
    const toBackup = join(folder, 'latest.db')
    symlinkSync(path, toDatabase)
    symlinkSync(backup, toBackup)
    const text = join(folder, 'notes.txt')
    writeFileSync(text, 'x')
    for (const [file, reason] of [
      [path, 'it is the database itself.'],
      [toDatabase, 'it is the database itself.'],
      [folder, 'it is a folder or a device.'],
      [text, 'it is a file of another kind, not a backup. Remove it, or choose another name.'],
    ] as const) {
      await expect(backupSqlite({ url }, file)).rejects.toThrow(`: ${reason}`)
    }
    expect(readFileSync(text, 'utf8')).toBe('x')
    await expect(restoreSqlite({ url }, path)).rejects.toThrow(': it is the database itself.')
    expect(await backupSqlite({ url }, toBackup)).toEqual({ pets: 1 })
    expect([lstatSync(toBackup).isSymbolicLink(), countPets(backup)]).toEqual([true, 1])
  })

  it('a folder has no backup, and is not taken for a file with hard links', async () => {
    mkdirSync(join(folder, 'inner'))
    await expect(backupSqlite({ url: `sqlite:${folder}` }, backup)).rejects.toThrow(
      `Cannot open the SQLite database ${JSON.stringify(folder)}: it is a folder.`,
    )
  })

  /** Runs a backup in a process that must exit with 7; `onCopied` is the body of a function. */
  async function backupThatExits(onCopied: string): Promise<void> {
    await addPets(url, 1)
    const code = `
      import { globSync, linkSync } from 'node:fs'
      import { backupSqlite } from './backup.ts'
      const file = ${JSON.stringify(backup)}
      await backupSqlite({ url: ${JSON.stringify(url)} }, file, (bytes, totalBytes) => {
        ${onCopied}
      })`
    const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
    const { status, stderr } = spawnSync(process.execPath, node, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(7)
  }

  it.each([
    ['copies', 'process.exit(7)'],
    ['checks', 'if (bytes === totalBytes) setImmediate(() => process.exit(7))'],
  ])('a backup leaves no file when its process ends while it %s', async (_, onCopied) => {
    await backupThatExits(onCopied)
    expect(readdirSync(folder).filter((name) => name.startsWith('backup'))).toEqual([])
  })

  it('a backup whose process ends cuts the copy off, so that the check of it ends', async () => {
    await backupThatExits(`
      if (bytes < totalBytes) return
      const [copy] = globSync(file + '.*.tmp')
      linkSync(copy, file + '.linked')
      setImmediate(() => process.exit(7))`)
    expect(statSync(`${backup}.linked`).size).toBe(0)
  })

  it('a backup of a damaged database is not kept, and its damage is named', async () => {
    await addPets(url, 1)
    const database = new Database(path).unsafeMode()
    database.exec(`create table damaged (value); insert into damaged values (null);
      pragma writable_schema = on;
      update sqlite_schema set sql = 'create table damaged (value not null)'
        where name = 'damaged'`)
    database.close()
    await expect(backupSqlite({ url }, backup)).rejects.toThrow(
      `the copy is damaged (NULL value in damaged.value).`,
    )
    expect(readdirSync(folder)).toEqual(['pets.db'])
  })

  it('a backup is synced before it is renamed, and its folder before it is reported', ({
    skip,
  }) => {
    const code = `
      import { backupSqlite } from './backup.ts'
      import { restoreSqlite } from './restore.ts'
      import { openSqlitePersistence } from './open-persistence.ts'
      const url = ${JSON.stringify(url)}, file = ${JSON.stringify(backup)}
      await (await openSqlitePersistence({ url, mode: 'migrate' })).close()
      await backupSqlite({ url }, file)
      await restoreSqlite({ url }, file)`
    const trace = join(folder, 'trace')
    const strace = [
      '-f',
      '-qq',
      '-y',
      '-e',
      'trace=/^(fsync|link|rename)',
      '-o',
      trace,
      process.execPath,
    ]
    const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
    const { status, error, stderr } = spawnSync('strace', [...strace, ...node], {
      cwd: import.meta.dirname,
    })
    if (error !== undefined || String(stderr).includes('ptrace'))
      skip('needs strace, with the right to trace')
    expect(status, String(stderr)).toBe(0)
    const call = new RegExp(
      `(fsync|link|rename)\\w*\\((?:AT_FDCWD[^,]*, )?(?:\\d+<|")${folder}([^>"]*)`,
      'g',
    )
    const calls = [...readFileSync(trace, 'utf8').matchAll(call)]
    const named = calls.map(([, what, name = '']) => `${what} ${name.replace(/\.\d+-\w+/, '')}`)
    const written = ['fsync /backup.db.tmp', 'rename /backup.db.tmp', 'fsync ']
    expect(named.join()).toContain(written.join())
    expect(named.slice(-4)).toEqual([
      'fsync /pets.db.tmp',
      'link /pets.db',
      'rename /pets.db.tmp',
      'fsync ',
    ])
  })

  it('one of two first backups with the same process id, as in containers, succeeds', async () => {
    await addPets(url, 2_000)
    const both = await Promise.allSettled([1, 2].map(() => backupSqlite({ url }, backup)))
    expect(both.map(({ status }) => status)).toContain('fulfilled')
    expect(countPets(backup)).toBe(2_000)
    expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'pets.db'])
  })

  it('a backup is written over a file with the log of a killed process', async () => {
    await addPets(url, 3)
    addPetsAndKill(`sqlite:${backup}`, 20)
    expect(await backupSqlite({ url }, backup)).toEqual({ pets: 3 })
    expect(countPets(backup)).toBe(3)
    expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'pets.db'])
  })

  it('a backup is not written over a database that is open', async () => {
    await addPets(url, 3)
    const other = await openMigrated(`sqlite:${backup}`)
    await expect(backupSqlite({ url }, backup)).rejects.toThrow('it is in use')
    expect((await other.pets.add(aNewPet())).id).toBe(1n)
    await other.close()
  })
})
