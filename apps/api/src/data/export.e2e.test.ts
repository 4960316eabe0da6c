import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { INT64, validateNewPet } from '@pet-store/domain'
import { beforeEach, describe, expect, it } from 'vitest'
import { allPets, DATABASES, KINDS, openDatabase, temporaryFolder } from './databases.test-support.ts'
import { FORMATS } from './formats.ts'
import { importFile } from './import-file.ts'
import { findPetFile } from './pet-file.ts'
import type { Progress } from './progress.ts'
import { runShell } from './run-shell.test-support.ts'
import { writePets } from './write-pets.ts'

let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
})

const silent: Progress = { begin: () => ({ advance() {}, end() {} }) }

const ODD = [
  validateNewPet({ name: 'Rex', categoryId: INT64.max, status: 'available' }),
  validateNewPet({ name: `"Rex", 'the' \\ dog`, categoryId: INT64.min }),
  validateNewPet({ name: 'one\ntwo\r\nthree\rfour', categoryId: 2n ** 53n + 1n, status: 'pending' }),
  validateNewPet({ name: '  spaces at both ends\t ', categoryId: -1n, status: 'sold' }),
  validateNewPet({ name: '🐕‍🦺 Léo \u2028\ufeff', categoryId: 0n }),
  validateNewPet({ name: '=HYPERLINK("http://example.com")', categoryId: 7n }),
  validateNewPet({ name: 'NULL', categoryId: 7n, status: 'sold' }),
]

describe.each(KINDS)('Pets of %s', (kind) => {
  it.each(FORMATS)('written as %s, read into another database and written again are the same bytes', async (format) => {
    const first = await openDatabase(await DATABASES[kind]())
    await first.addPets(ODD)
    const content = await text(writePets(first, { format, ids: false }))
    await writeFile(`${folder}/pets`, content)

    const second = await openDatabase(await DATABASES[kind]())
    await second.addPets(ODD.slice(0, 1))
    const report = async () => {}
    const work = { format, onError: 'stop', again: false, report, progress: silent } as const
    const result = await importFile({ ...work, file: await findPetFile(`${folder}/pets`) }, second)
    expect(result).toMatchObject({ stored: ODD.length, refused: 0 })
    const more = (await allPets(second)).slice(1)
    expect(more.map(({ id: _, ...pet }) => pet)).toEqual(ODD)

    const third = await openDatabase(await DATABASES[kind]())
    await importFile({ ...work, file: await findPetFile(`${folder}/pets`) }, third)
    expect(await text(writePets(third, { format, ids: false }))).toBe(content)
  })

  it('are written with ids, with one status, and page by page while others are added', async () => {
    const bulk = await openDatabase(await DATABASES[kind]())
    const [rex, , , sold] = ODD
    await bulk.addPets(Array.from({ length: 12_000 }, (_, index) => (index % 2 === 0 ? rex : sold)) as typeof ODD)
    const lines = (await text(writePets(bulk, { format: 'ndjson', ids: true, status: 'sold' }))).trim().split('\n')
    expect(lines).toHaveLength(6_000)
    expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(lines.map((_, index) => 2 * index + 2))

    const pieces = writePets(bulk, { format: 'ndjson', ids: true })
    let content = String((await pieces.next()).value)
    await bulk.addPets(ODD)
    content += await text(pieces)
    const ids = content
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id)
    expect(ids).toEqual(Array.from({ length: 12_000 + ODD.length }, (_, index) => index + 1))
  })
})

describe('pet-store export', () => {
  const run = (line: string, settings = {}) => runShell(line, folder, { DATABASE_URL: 'sqlite:pets.db', ...settings })
  const fill = async (count: number) => {
    const bulk = await openDatabase(`sqlite:${folder}/pets.db`)
    await bulk.addPets(Array.from({ length: count }, (_, index) => ODD[index % ODD.length]) as typeof ODD)
  }

  it('writes to standard output and to files, in the format that the file is named after', async () => {
    await fill(7)
    const { code, stdout, stderr } = await run('pet-store export')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n')[0]).toBe('{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}')
    expect(await run('pet-store export --status sold --no-ids --output sold.csv')).toMatchObject({
      code: 0,
      stdout: '',
    })
    expect(await readFile(`${folder}/sold.csv`, 'utf8')).toBe(
      'name,categoryId,status\n"  spaces at both ends\t ",-1,sold\nNULL,7,sold\n',
    )
    expect((await run('pet-store export --format csv | pet-store import - --format csv')).stdout).toBe(
      'Imported 7 pets.\n',
    )
  })

  it('ends quietly when nobody reads on', async () => {
    await fill(70_000)
    const line = '{ pet-store export; echo "exit code $?" >&2; } | head -n 1'
    const { stdout, stderr } = await run(line)
    expect(stdout).toMatch(/^\{"id":1,.*\}\n$/)
    expect(stderr).toBe('exit code 0\n')
  })

  it.each([
    ['pet-store export', {}, 1, 'There is no file "pets.db".'],
    ['pet-store export --status lost', {}, 2, 'Allowed choices are available, pending, sold.'],
    ['pet-store export --format xml', {}, 2, 'Allowed choices are csv, ndjson.'],
    ['pet-store export', { PERSISTENCE_MODULE: './own.js' }, 2, 'PERSISTENCE_MODULE must be empty'],
  ])('%s with %o ends with exit code %i', async (line, settings, exitCode, sentence) => {
    const { code, stdout, stderr } = await run(line, settings)
    expect(stderr).toContain(sentence)
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' })
  })

  it('says why it cannot write', async () => {
    await fill(7)
    const { code, stderr } = await run('pet-store export --output no/pets.csv')
    expect(stderr).toBe('Cannot write "no/pets.csv": no such file or directory.\n')
    expect(code).toBe(1)
  })
})
