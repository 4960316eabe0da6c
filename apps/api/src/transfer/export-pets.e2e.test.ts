import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { INT64, validateNewPet } from '@pet-store/domain'
import { temporaryFolder } from '@pet-store/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { openDatabase } from './testing/databases.test-support.ts'
import { csvOf } from './testing/entries.test-support.ts'
import { runShell } from './testing/run-shell.test-support.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

const PETS = [
  validateNewPet({ name: 'Rex', categoryId: INT64.max, status: 'available' }),
  validateNewPet({ name: '  spaces at both ends\t ', categoryId: -1n, status: 'sold' }),
  validateNewPet({ name: 'NULL', categoryId: 7n, status: 'sold' }),
]

describe('pet-store export', () => {
  const DATABASE_URL = 'sqlite:pets.db'
  const run = (command: string, settings = {}) =>
    runHere(command, folder, { DATABASE_URL, ...settings })
  const shell = (line: string) => runShell(line, folder, { DATABASE_URL })
  const fill = async (count: number) => {
    const bulk = await openDatabase(`sqlite:${folder}/pets.db`)
    await bulk.addPets(
      Array.from({ length: count }, (_, index) => PETS[index % PETS.length]) as typeof PETS,
    )
  }

  it('export writes in the format that the name of the file ends in', async () => {
    await fill(3)
    const { code, stdout, stderr } = await shell('pet-store export')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')[0]).toBe(
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}',
    )
    expect(await run('export --output -')).toMatchObject({ code: 0, stdout })
    expect(await run('export --status sold --no-ids --output sold.csv')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Exported 2 pets to "sold.csv".\n',
    })
    expect(await readFile(`${folder}/sold.csv`, 'utf8')).toBe(
      csvOf('name,categoryId,status', '"  spaces at both ends\t ",-1,sold', 'NULL,7,sold'),
    )
    // Into the database that they come from, whose pets it doubles.
    const doubled = 'pet-store export --format csv | pet-store import - --format csv'
    expect((await shell(doubled)).stdout).toBe('Imported 3 pets.\n')
  })

  it('export rejects a name that ends in a format which it does not write', async () => {
    for (const name of ['pets.xlsx', 'pets.json', 'pets.csv.gz']) {
      const { code, stderr } = await run(`export --output ${name}`)
      expect(stderr).toMatch(/^error: pets cannot be written as [.](?:xlsx|json|gz); name a file /)
      expect(code).toBe(2)
    }
    expect(await readdir(folder)).toEqual([])
  })

  it('export ends without an error when its reader ends', async () => {
    await fill(70_000)
    const line = '{ pet-store export; echo "exit code $?" >&2; } | head -n 1'
    const { stdout, stderr } = await shell(line)
    expect(stdout).toMatch(/^\{"id":1,.*\}\n$/)
    expect(stderr).toBe('exit code 0\n')
  })

  it.each([
    ['export', 'Cannot open the SQLite database "pets.db": there is no such file.'],
    ['export --output no/pets.csv', 'Cannot write "no/pets.csv": no such file or directory.'],
    ['export --output .', 'Cannot write ".": it is a folder.'],
    ['export --output ./pets.db', 'Cannot write "./pets.db": it is the database itself.'],
  ])('pet-store %s ends with the reason', async (line, sentence) => {
    if (line.includes('--output')) await fill(1)
    expect(await run(line)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` })
  })

  it('export that fails leaves an existing file as it is, and no other beside it', async () => {
    await run('seed --count 20000')
    await writeFile(`${folder}/pets.csv`, 'earlier')
    const full = await shell('ulimit -f 200; trap "" XFSZ; pet-store export --output pets.csv')
    expect(full).toMatchObject({ code: 1, stderr: 'Cannot write "pets.csv": file too large.\n' })
    const missing = await run('export --output pets.csv', { DATABASE_URL: 'sqlite:typo.db' })
    expect(missing.code).toBe(1)
    expect(await readFile(`${folder}/pets.csv`, 'utf8')).toBe('earlier')
    expect((await readdir(folder)).toSorted()).toEqual(['pets.csv', 'pets.db'])
  })

  it('export replaces an existing file, keeping its permissions and a symbolic link', async () => {
    await fill(1)
    await writeFile(`${folder}/real.csv`, 'earlier, and longer than the new content would be', {
      mode: 0o600,
    })
    await symlink('real.csv', `${folder}/pets.csv`)
    expect(await run('export --output pets.csv --no-ids')).toMatchObject({ code: 0 })
    expect(await readFile(`${folder}/real.csv`, 'utf8')).toBe(
      csvOf('name,categoryId,status', 'Rex,9223372036854775807,available'),
    )
    expect((await stat(`${folder}/real.csv`)).mode & 0o777).toBe(0o600)
  })

  it('export writes to the missing target of a symbolic link', async () => {
    await fill(1)
    await symlink('real.csv', `${folder}/pets.csv`)
    expect(await run('export --output pets.csv --no-ids')).toMatchObject({ code: 0 })
    expect((await lstat(`${folder}/pets.csv`)).isSymbolicLink()).toBe(true)
    expect(await readFile(`${folder}/real.csv`, 'utf8')).toBe(
      csvOf('name,categoryId,status', 'Rex,9223372036854775807,available'),
    )
    await symlink('unmounted/pets.csv', `${folder}/backup.csv`)
    expect(await run('export --output backup.csv')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Cannot write "backup.csv": no such file or directory.\n',
    })
  })

  it('export reports once that standard output is full, or the database failed', async () => {
    await run('seed --count 20000')
    const full = await shell('pet-store export > /dev/full')
    expect(full).toMatchObject({
      code: 1,
      stderr: 'Cannot write to standard output: no space left on device.\n',
    })
    const bytes = await readFile(`${folder}/pets.db`)
    await writeFile(`${folder}/pets.db`, bytes.fill(0xff, Math.floor(bytes.length / 2)))
    const damaged = await shell('pet-store export')
    expect(damaged).toMatchObject({ code: 1, stderr: 'database disk image is malformed\n' })
  })

  it('export writes to a device', async () => {
    await fill(1)
    expect(await shell('pet-store export --output /dev/stdout --format csv | cat')).toMatchObject({
      code: 0,
      stdout: csvOf('id,name,categoryId,status', '1,Rex,9223372036854775807,available'),
    })
    const { code, stderr } = await run('export --output /dev/full')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'Cannot write "/dev/full": no space left on device.\n',
    })
  })

  it('export reads a database that it may not write, and leaves nothing beside it', async () => {
    await run('seed --count 1')
    await chmod(`${folder}/pets.db`, 0o444)
    expect(await shell('pet-store export --no-ids')).toMatchObject({ code: 0, stderr: '' })
    expect(await readdir(folder)).toEqual(['pets.db'])
  })
})
