import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { aNewPet } from '@pet-store/persistence-testing'
import { temporaryFolder } from '@pet-store/testing'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { backupSqlite } from './backup.ts'
import { restoreSqlite } from './restore.ts'
import {
  addPets,
  addPetsAndKill,
  countPets,
  openMigrated,
} from './testing/database-files.test-support.ts'

describe('A restored SQLite backup', () => {
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

  it('a backup is restored to a new path and over an existing database, kept aside', async () => {
    await addPets(url, 3)
    await backupSqlite({ url }, backup)
    const other = join(folder, 'new', 'pets.db')
    expect(await restoreSqlite({ url: `sqlite:${other}` }, backup)).toEqual({
      pets: 3,
      previousFiles: [],
    })
    await addPets(`sqlite:${other}`, 1)
    expect(countPets(other)).toBe(4)

    await addPets(url, 2)
    const { pets, previousFiles } = await restoreSqlite({ url }, backup)
    const [previousFile = ''] = previousFiles
    expect([pets, countPets(path), countPets(previousFile)]).toEqual([3, 3, 5])
    const restored = await openMigrated(url)
    expect((await restored.pets.add(aNewPet())).id).toBe(4n)
    await restored.close()
  })

  it('a backup is not restored over a database in use, nor from another file', async () => {
    await addPets(url, 1)
    await backupSqlite({ url }, backup)
    const service = await openMigrated(url)
    await expect(restoreSqlite({ url }, backup)).rejects.toThrow(
      'it is in use. Stop the service first.',
    )
    expect((await service.pets.add(aNewPet())).id).toBe(2n)
    await service.close()

    const foreign = new Database(join(folder, 'foreign.db'))
    foreign.exec('create table note (text)')
    foreign.close()
    const newer = new Database(backup)
    newer.exec("insert into migration (name) values ('9999-newer')")
    newer.close()
    for (const [file, sentence] of [
      ['foreign.db', 'is not a database of a pet store.'],
      ['missing.db', 'there is no such file'],
      ['backup.db', 'has migrations of a newer version: 9999-newer.'],
    ] as const) {
      await expect(restoreSqlite({ url }, join(folder, file))).rejects.toThrow(sentence)
    }
    expect(countPets(path)).toBe(2)
  })

  it.each([
    ['its beginning', 0],
    ['its middle', 8_192],
  ])(
    'a backup is restored over a database that is damaged in %s, which is kept',
    async (_, position) => {
      await addPets(url, 2_000)
      await backupSqlite({ url }, backup)
      const damaged = readFileSync(path)
      damaged.fill(0xff, position, position + 30_000)
      writeFileSync(path, damaged)
      writeFileSync(`${path}-wal`, 'log')
      const { pets, previousFiles } = await restoreSqlite({ url }, backup)
      const [previousFile = ''] = previousFiles
      expect([pets, countPets(path)]).toEqual([2_000, 2_000])
      expect(readFileSync(previousFile).subarray(8_192).equals(damaged.subarray(8_192))).toBe(true)
      expect(existsSync(`${path}-wal`)).toBe(false)
      const { check, close } = await openMigrated(url)
      await check()
      await close()
    },
  )

  it('a backup is restored over a database that was cut off, whose log is kept aside', async () => {
    await addPets(url, 2_000)
    await backupSqlite({ url }, backup)
    const { pets, close } = await openMigrated(url)
    await pets.add(aNewPet())
    const log = readFileSync(`${path}-wal`)
    await close()
    truncateSync(path, 1_000)
    writeFileSync(`${path}-wal`, log)
    const {
      previousFiles: [previousFile = ''],
    } = await restoreSqlite({ url }, backup)
    expect(existsSync(`${path}-wal`)).toBe(false)
    expect(readFileSync(`${previousFile}-wal`).equals(log)).toBe(true)
    expect(countPets(path)).toBe(2_000)
  })

  it('a backup is restored where a link leads, and removes files of a killed restore', async () => {
    await addPets(url, 3)
    await backupSqlite({ url }, backup)
    const ended = spawnSync(process.execPath, ['--version']).pid
    for (const end of ['.tmp', '-0a1b2c3d.tmp', '-0a1b2c3d.tmp-journal'])
      writeFileSync(`${path}.${ended}${end}`, '')
    writeFileSync(`${path}.${process.ppid}-0a1b2c3d.tmp`, 'of a process that runs')
    const link = join(folder, 'link.db')
    symlinkSync(path, link)
    const {
      previousFiles: [previousFile = ''],
    } = await restoreSqlite({ url: `sqlite:${link}` }, backup)
    expect([lstatSync(link).isSymbolicLink(), countPets(path), countPets(previousFile)]).toEqual([
      true,
      3,
      3,
    ])
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([
      `pets.db.${process.ppid}-0a1b2c3d.tmp`,
    ])
  })

  it('a backup is not restored from a damaged file', async () => {
    await addPets(url, 2_000)
    await backupSqlite({ url }, backup)
    const bytes = readFileSync(backup)
    bytes.fill(0xff, 8_192, 40_000)
    writeFileSync(backup, bytes)
    await expect(restoreSqlite({ url }, backup)).rejects.toThrow(/^Cannot /)
    expect(countPets(path)).toBe(2_000)
  })

  it('a backup is restored beside the log of a deleted database, which is kept aside', async () => {
    await addPets(url, 30)
    await backupSqlite({ url }, backup)
    addPetsAndKill(url, 20)
    const log = readFileSync(`${path}-wal`)
    rmSync(path)
    const { pets, previousFiles } = await restoreSqlite({ url }, backup)
    expect([pets, countPets(path)]).toEqual([30, 30])
    expect(previousFiles).toEqual([expect.stringMatching(/^.*pets\.db\.\d{8}T\d{6}Z-wal$/)])
    expect(readFileSync(previousFiles[0] ?? '').equals(log)).toBe(true)
    expect(readdirSync(folder)).not.toContain('pets.db-shm')
  })

  it('a backup is restored twice within a second, and each earlier database is kept', async () => {
    await addPets(url, 3)
    await backupSqlite({ url }, backup)
    await addPets(url, 2)
    const first = await restoreSqlite({ url }, backup)
    const second = await restoreSqlite({ url }, backup)
    const kept = [...first.previousFiles, ...second.previousFiles]
    expect(kept.map((file) => countPets(file))).toEqual([5, 3])
  })

  /** Starts to restore a large backup in another process, and pauses it while it copies. */
  const restoreAndPause = async (to: string) => {
    await addPets(url, 1)
    const database = new Database(path)
    database.exec(`insert into pet (name, category_id)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000)
      select 'Rex', i from n`)
    database.close()
    await backupSqlite({ url }, backup)
    const code = `
      import { restoreSqlite } from './restore.ts'
      await restoreSqlite({ url: ${JSON.stringify(to)} }, ${JSON.stringify(backup)})`
    const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
    const child = spawn(process.execPath, node, { cwd: import.meta.dirname })
    const stderr = text(child.stderr)
    while (!readdirSync(folder).some((name) => name.endsWith('.tmp'))) await setImmediate()
    child.kill('SIGSTOP')
    return async () => {
      child.kill('SIGCONT')
      return stderr
    }
  }

  it('a backup is not restored over a database that a service created meanwhile', async () => {
    const other = `sqlite:${join(folder, 'other.db')}`
    const resume = await restoreAndPause(other)
    const service = await openMigrated(other)
    expect(await resume()).toContain('it is in use')
    expect((await service.pets.add(aNewPet())).id).toBe(1n)
    await service.close()
  })

  it('a service waits for a restore, and opens what was restored', async () => {
    const resume = await restoreAndPause(url)
    const opening = openMigrated(url)
    expect(await resume()).toBe('')
    const service = await opening
    await service.check()
    await service.pets.add(aNewPet())
    await service.close()
    expect(countPets(path)).toBe(200_002)
  })

  it('a backup is restored over a file with the log of another, and both are kept', async () => {
    await addPets(url, 30)
    await backupSqlite({ url }, backup)
    addPetsAndKill(url, 20)
    copyFileSync(backup, path)
    const file = readFileSync(path)
    const log = readFileSync(`${path}-wal`)
    const { previousFiles } = await restoreSqlite({ url }, backup)
    expect(previousFiles.map((kept) => readFileSync(kept))).toEqual([file, log])
    expect(countPets(path)).toBe(30)
  })
})
