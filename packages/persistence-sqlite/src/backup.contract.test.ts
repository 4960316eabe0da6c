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
import { backupSqlite, restoreSqlite } from './backup.ts'
import { openSqlitePersistence } from './open-persistence.ts'

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

  const open = (at = url) => openSqlitePersistence({ url: at, mode: 'migrate' })
  const fill = async (count: number, at = url) => {
    const { pets, close } = await open(at)
    await Promise.all(Array.from({ length: count }, () => pets.add(aNewPet())))
    await close()
  }
  const countOf = (file: string) => {
    const database = new Database(file, { readonly: true })
    const count = database.prepare('select count(*) from pet').pluck().get()
    database.close()
    return count
  }

  it('holds every stored pet while the service writes, and replaces an existing file', async () => {
    const { pets, close } = await open()
    await Promise.all(Array.from({ length: 50 }, () => pets.add(aNewPet())))
    writeFileSync(backup, 'earlier')
    const adding = pets.add(aNewPet())
    expect(await backupSqlite({ url }, backup)).toEqual({ pets: 50 })
    await adding
    await close()
    expect(countOf(backup)).toBe(50)
    expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'pets.db'])
  })

  it('leaves an existing file as it is when it fails', async () => {
    writeFileSync(path, 'not a database, '.repeat(100))
    writeFileSync(backup, 'earlier')
    await expect(backupSqlite({ url }, backup)).rejects.toThrow(
      'the file is not an SQLite database',
    )
    await expect(backupSqlite({ url: `sqlite:${folder}/missing.db` }, backup)).rejects.toThrow(
      'there is no such file',
    )
    expect(readFileSync(backup, 'utf8')).toBe('earlier')
  })

  it('says in one sentence that the folder of the file is missing, or a file', async () => {
    await fill(1)
    for (const target of [join(folder, 'missing'), path]) {
      const file = join(target, 'backup.db')
      await expect(backupSqlite({ url }, file)).rejects.toThrow(
        `Cannot write ${JSON.stringify(file)}: there is no folder ${JSON.stringify(target)}.`,
      )
    }
  })

  it('is written where a link leads, but not over the database itself or what is no file', async () => {
    await fill(1)
    const [toDatabase, toBackup] = [join(folder, 'same.db'), join(folder, 'latest.db')]
    symlinkSync(path, toDatabase)
    symlinkSync(backup, toBackup)
    writeFileSync(backup, 'earlier')
    for (const [file, reason] of [
      [path, 'it is the database itself.'],
      [toDatabase, 'it is the database itself.'],
      [folder, 'it is a folder or a device.'],
    ] as const) {
      await expect(backupSqlite({ url }, file)).rejects.toThrow(`: ${reason}`)
    }
    await expect(restoreSqlite({ url }, path)).rejects.toThrow(': it is the database itself.')
    expect(await backupSqlite({ url }, toBackup)).toEqual({ pets: 1 })
    expect([lstatSync(toBackup).isSymbolicLink(), countOf(backup)]).toEqual([true, 1])
  })

  it('is restored to a new path and over an existing database, which is kept', async () => {
    await fill(3)
    await backupSqlite({ url }, backup)
    const other = join(folder, 'new', 'pets.db')
    expect(await restoreSqlite({ url: `sqlite:${other}` }, backup)).toEqual({
      pets: 3,
      previousFiles: [],
    })
    await fill(1, `sqlite:${other}`)
    expect(countOf(other)).toBe(4)

    await fill(2)
    const { pets, previousFiles } = await restoreSqlite({ url }, backup)
    const [previousFile = ''] = previousFiles
    expect([pets, countOf(path), countOf(previousFile)]).toEqual([3, 3, 5])
    const restored = await open()
    expect((await restored.pets.add(aNewPet())).id).toBe(4n)
    await restored.close()
  })

  it('is not restored over a database in use, nor from a file that is no backup', async () => {
    await fill(1)
    await backupSqlite({ url }, backup)
    const service = await open()
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
      ['foreign.db', 'is no database of a pet store.'],
      ['missing.db', 'there is no such file'],
      ['backup.db', 'has migrations of a newer version: 9999-newer.'],
    ] as const) {
      await expect(restoreSqlite({ url }, join(folder, file))).rejects.toThrow(sentence)
    }
    expect(countOf(path)).toBe(2)
  })

  it.each([
    ['its beginning', 0],
    ['its middle', 8_192],
  ])('is restored over a database that is damaged in %s, which is kept', async (_, position) => {
    await fill(2_000)
    await backupSqlite({ url }, backup)
    const damaged = readFileSync(path)
    damaged.fill(0xff, position, position + 30_000)
    writeFileSync(path, damaged)
    writeFileSync(`${path}-wal`, 'log')
    const { pets, previousFiles } = await restoreSqlite({ url }, backup)
    const [previousFile = ''] = previousFiles
    expect([pets, countOf(path)]).toEqual([2_000, 2_000])
    expect(readFileSync(previousFile).subarray(8_192).equals(damaged.subarray(8_192))).toBe(true)
    expect(existsSync(`${path}-wal`)).toBe(false)
    const { check, close } = await open()
    await check()
    await close()
  })

  it('is restored over a database that was cut off, whose log is kept beside it and not applied', async () => {
    await fill(2_000)
    await backupSqlite({ url }, backup)
    const { pets, close } = await open()
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
    expect(countOf(path)).toBe(2_000)
  })

  it('is on the disk before it takes its name, and its name before it is reported', ({ skip }) => {
    const code = `
      import { backupSqlite, restoreSqlite } from './backup.ts'
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
      skip('strace is not here, or may not trace.')
    expect(status, String(stderr)).toBe(0)
    const call = new RegExp(
      `(fsync|link|rename)\\w*\\((?:AT_FDCWD[^,]*, )?(?:\\d+<|")${folder}([^>"]*)`,
      'g',
    )
    const calls = [...readFileSync(trace, 'utf8').matchAll(call)]
    const named = calls.map(([, what, name = '']) => `${what} ${name.replace(/\.\d+/, '')}`)
    const written = ['fsync /backup.db.tmp', 'rename /backup.db.tmp', 'fsync ']
    expect(named.join()).toContain(written.join())
    expect(named.slice(-4)).toEqual([
      'fsync /pets.db.tmp',
      'link /pets.db',
      'rename /pets.db.tmp',
      'fsync ',
    ])
  })

  it('is restored where a link leads, and leaves nothing of a restore that was killed', async () => {
    await fill(3)
    await backupSqlite({ url }, backup)
    const ended = spawnSync(process.execPath, ['--version']).pid
    for (const end of ['tmp', 'tmp-journal']) writeFileSync(`${path}.${ended}.${end}`, '')
    writeFileSync(`${path}.${process.ppid}.tmp`, 'of a process that runs')
    const link = join(folder, 'link.db')
    symlinkSync(path, link)
    const {
      previousFiles: [previousFile = ''],
    } = await restoreSqlite({ url: `sqlite:${link}` }, backup)
    expect([lstatSync(link).isSymbolicLink(), countOf(path), countOf(previousFile)]).toEqual([
      true,
      3,
      3,
    ])
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([
      `pets.db.${process.ppid}.tmp`,
    ])
  })

  it('is not restored from a damaged file', async () => {
    await fill(2_000)
    await backupSqlite({ url }, backup)
    const bytes = readFileSync(backup)
    bytes.fill(0xff, 8_192, 40_000)
    writeFileSync(backup, bytes)
    await expect(restoreSqlite({ url }, backup)).rejects.toThrow(/^Cannot /)
    expect(countOf(path)).toBe(2_000)
  })

  /** Stores pets and leaves their log, as a process that was killed does. */
  const fillAndKill = (count: number, at = url) => {
    const code = `
      import { openSqlitePersistence } from './open-persistence.ts'
      const { pets } = await openSqlitePersistence({ url: ${JSON.stringify(at)}, mode: 'migrate' })
      for (let n = 0; n < ${count}; n += 1) await pets.add({ name: 'Rex', categoryId: 1n })
      process.kill(process.pid, 'SIGKILL')`
    const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
    const { signal } = spawnSync(process.execPath, node, { cwd: import.meta.dirname })
    expect(signal).toBe('SIGKILL')
  }

  it('is restored beside the log of a database that was deleted, which is kept and not applied', async () => {
    await fill(30)
    await backupSqlite({ url }, backup)
    fillAndKill(20)
    const log = readFileSync(`${path}-wal`)
    rmSync(path)
    const { pets, previousFiles } = await restoreSqlite({ url }, backup)
    expect([pets, countOf(path)]).toEqual([30, 30])
    expect(previousFiles).toEqual([expect.stringMatching(/^.*pets\.db\.\d{8}T\d{6}Z-wal$/)])
    expect(readFileSync(previousFiles[0] ?? '').equals(log)).toBe(true)
    expect(readdirSync(folder)).not.toContain('pets.db-shm')
  })

  it('is written over a file beside which the log of a killed process lies', async () => {
    await fill(3)
    fillAndKill(20, `sqlite:${backup}`)
    expect(await backupSqlite({ url }, backup)).toEqual({ pets: 3 })
    expect(countOf(backup)).toBe(3)
    expect(readdirSync(folder).toSorted()).toEqual(['backup.db', 'pets.db'])
  })

  it('is not written over a database that is open', async () => {
    await fill(3)
    const other = await open(`sqlite:${backup}`)
    await expect(backupSqlite({ url }, backup)).rejects.toThrow('it is in use')
    expect((await other.pets.add(aNewPet())).id).toBe(1n)
    await other.close()
  })

  it('is restored twice within a second, and each database that was there is kept', async () => {
    await fill(3)
    await backupSqlite({ url }, backup)
    await fill(2)
    const first = await restoreSqlite({ url }, backup)
    const second = await restoreSqlite({ url }, backup)
    const kept = [...first.previousFiles, ...second.previousFiles]
    expect(kept.map((file) => countOf(file))).toEqual([5, 3])
  })

  /** Begins to restore a large backup in another process, which stops while it copies. */
  const restoreAndPause = async (to: string) => {
    await fill(1)
    const database = new Database(path)
    database.exec(`insert into pet (name, category_id)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 200000)
      select 'Rex', i from n`)
    database.close()
    await backupSqlite({ url }, backup)
    const code = `
      import { restoreSqlite } from './backup.ts'
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

  it('is not restored over a database that a service created meanwhile', async () => {
    const other = `sqlite:${join(folder, 'other.db')}`
    const goOn = await restoreAndPause(other)
    const service = await open(other)
    expect(await goOn()).toContain('it is in use')
    expect((await service.pets.add(aNewPet())).id).toBe(1n)
    await service.close()
  })

  it('cannot be opened by a service while a backup is put in its place', async () => {
    const goOn = await restoreAndPause(url)
    const opening = open()
    expect(await goOn()).toBe('')
    const service = await opening
    await service.check()
    await service.pets.add(aNewPet())
    await service.close()
    expect(countOf(path)).toBe(200_002)
  })

  it('is restored over a file under another log, and both are kept as they are', async () => {
    await fill(30)
    await backupSqlite({ url }, backup)
    fillAndKill(20)
    copyFileSync(backup, path)
    const [file, log] = [readFileSync(path), readFileSync(`${path}-wal`)]
    const { previousFiles } = await restoreSqlite({ url }, backup)
    expect(previousFiles.map((kept) => readFileSync(kept))).toEqual([file, log])
    expect(countOf(path)).toBe(30)
  })
})
