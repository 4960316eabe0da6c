import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ImportOptions, importPets } from './import-pets.ts'
import { silent } from './testing/databases.test-support.ts'
import { pieces } from './testing/entries.test-support.ts'
import { createMemoryBulk } from './testing/memory-bulk.test-support.ts'

const FILE = 'name,categoryId\na,1\nb,1\n\nc\nd,1\ne\n"f\ng",1\n'

interface Run extends Partial<Omit<ImportOptions, 'file' | 'report'>> {
  readonly file?: string
  readonly size?: number
}

/** Imports a file, and returns everything that the import did. */
function run({ file = FILE, size, ...options }: Run = {}, bulk = createMemoryBulk()) {
  const reported: number[] = []
  const result = importPets(
    {
      file: { bytes: file.length, open: () => pieces(file, size) },
      format: 'csv',
      onError: 'skip',
      again: false,
      continues: false,
      progress: silent,
      report: ({ line }) => reported.push(line),
      ...options,
    },
    bulk,
  )
  return { bulk, reported, result, names: () => bulk.pets.map(({ name }) => name) }
}

/** Few of them are enough for a transaction. */
const LONG = 'x'.repeat(990)
const longName = (index: number) => `${index}${index % 7 === 0 ? '\n' : ' '}${LONG}`
const COUNT = 1_000
const LONG_FILE = `name,categoryId\n${Array.from({ length: COUNT }, (_, index) => `"${longName(index)}",1\n\n,\n`).join('')}\n\n`
const ALL = Array.from({ length: COUNT }, (_, index) => longName(index))

/** Bulk access whose transactions fail from this one on. */
function failing(from: number, bulk = createMemoryBulk()) {
  let transactions = 0
  return {
    ...bulk,
    async addPets(...added: Parameters<typeof bulk.addPets>) {
      transactions += 1
      if (transactions >= from) throw new Error('disk full')
      await bulk.addPets(...added)
    },
  }
}

describe.each([1, 7, 65_536])('import, %i bytes at a time,', (size) => {
  it('stores valid pets and reports the other lines', async () => {
    const { names, reported, result } = run({ size })
    expect(await result).toEqual({ stored: 4, storedEarlier: 0, rejected: 2 })
    expect({ names: names(), reported }).toEqual({ names: ['a', 'b', 'd', 'f\ng'], reported: [5, 7] })
  })

  it('stores the pets before the line that ends it', async () => {
    const { names, reported, result } = run({ size, onError: 'stop' })
    expect(await result).toEqual({ stored: 2, storedEarlier: 0, rejected: 1, stopReason: 'Stopped at line 5.' })
    expect({ names: names(), reported }).toEqual({ names: ['a', 'b'], reported: [5] })
  })

  it('leaves pets stored when a later line cannot be read', async () => {
    const { names, result } = run({ size, file: `${FILE}"x` })
    expect(await result).toMatchObject({ stopReason: 'The record after line 9 has a quote that is not closed.' })
    expect(names()).toEqual(['a', 'b', 'd', 'f\ng'])
  })
})

describe('import', () => {
  it.each([1, 2, 3, 4, 5])('stores each pet once when it is repeated after transaction %i has failed', async (time) => {
    const bulk = createMemoryBulk()
    const { result } = run({ file: LONG_FILE }, failing(time, bulk))
    await expect(result).rejects.toThrow('disk full')
    const [note] = await bulk.readPetImports()
    const stored = bulk.pets.length
    expect(note?.state).toBe(time === 1 ? undefined : 'unfinished')
    if (note !== undefined) {
      const before = LONG_FILE.split('\n').slice(0, note.lines).join('\n')
      expect(note.sha256).toBe(createHash('sha256').update(`${before}\n`).digest('hex'))
    }
    const again = run({ file: LONG_FILE }, bulk)
    expect(await again.result).toEqual({ stored: COUNT - stored, storedEarlier: stored, rejected: 0 })
    expect(again.names()).toEqual(ALL)
    const sha256 = createHash('sha256').update(LONG_FILE).digest('hex')
    const finished = { state: 'finished', sha256, fileSha256: sha256, lines: LONG_FILE.split('\n').length - 1 }
    expect(await bulk.readPetImports()).toEqual([expect.objectContaining(finished)])
  })

  it('does not skip the pets of another file that begins like an interrupted one', async () => {
    const bulk = createMemoryBulk()
    await run({ file: 'name,categoryId\na,1\nb,one\n', onError: 'stop' }, bulk).result
    const file = 'name,categoryId\na,1\nx,1\n'
    await expect(run({ file }, bulk).result).rejects.toThrow(
      /^The first 2 lines of this file were stored on \d{4}-\d\d-\d\d by an import that was interrupted, and the file has changed since\./,
    )
    expect(await run({ file, again: true }, bulk).result).toMatchObject({ stored: 2, storedEarlier: 0 })
    expect(bulk.pets.map(({ name }) => name)).toEqual(['a', 'a', 'x'])
    await expect(run({ file, continues: true }, bulk).result).rejects.toThrow('This file was imported on')
    const other = run({ file: 'name,categoryId\ny,1\n', continues: true }, bulk)
    await expect(other.result).rejects.toThrow('No interrupted import begins like this file.')
    expect(bulk.pets).toHaveLength(3)
  })

  it('continues a repetition of a file that was imported before', async () => {
    const bulk = createMemoryBulk()
    await run({ file: LONG_FILE }, bulk).result
    await expect(run({ file: LONG_FILE, again: true }, failing(2, bulk)).result).rejects.toThrow('disk full')
    await run({ file: LONG_FILE, again: true }, bulk).result
    expect(bulk.pets.map(({ name }) => name)).toEqual([...ALL, ...ALL])
  })

  it('is not ended by a line that an earlier run skipped, and reports it again', async () => {
    const file = `name,categoryId\nbad\n${LONG_FILE.slice(LONG_FILE.indexOf('\n') + 1)}bad\n`
    const bulk = createMemoryBulk()
    await expect(run({ file }, failing(3, bulk)).result).rejects.toThrow('disk full')
    const { result, reported, names } = run({ file, onError: 'stop' }, bulk)
    expect(await result).toMatchObject({ rejected: 2, stopReason: expect.stringMatching(/^Stopped at line \d+\.$/) })
    expect(reported[0]).toBe(2)
    expect(names()).toEqual(ALL)
  })
})
