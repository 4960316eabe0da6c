import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { importPets } from './import-pets.ts'
import { type ImportSource, readPets } from './pet-files/read-pets.ts'
import { pieces } from './testing/entries.test-support.ts'
import { createMemoryBulk } from './testing/memory-bulk.test-support.ts'

const STOPPED = 'Stopped at line 5: correct it, or import the others with --on-error skip.'

const FILE = 'name,categoryId\na,1\nb,1\n\nc\nd,1\ne\n"f\ng",1\n'

interface Run {
  readonly file?: string
  readonly size?: number
  readonly onError?: 'stop' | 'skip'
  readonly again?: boolean
  /** As from standard input. */
  readonly once?: boolean
}

/** Imports a file as the command does, and returns everything that happened. */
function run(
  { file = FILE, size, onError = 'skip', again = false, once = false }: Run = {},
  bulk = createMemoryBulk(),
) {
  const reported: number[] = []
  const counts = { stored: 0, storedEarlier: 0 }
  const report = ({ line }: { line: number }) => void reported.push(line)
  const source: ImportSource = {
    file: { open: () => pieces(file, size) },
    format: 'csv',
    onError,
    report,
  }
  const work = async () => {
    const checked = once ? undefined : await readPets(source, 'Checking')
    const { rejected, stopReason } =
      checked?.stopReason === undefined
        ? await importPets(source, bulk, { checked, again, counts })
        : checked
    return { ...counts, rejected, ...(stopReason !== undefined && { stopReason }) }
  }
  return { bulk, reported, result: work(), names: () => bulk.pets.map(({ name }) => name) }
}

/** Several transactions; between the pets are lines to count. */
const COUNT = 17_000
const ALL = Array.from({ length: COUNT }, (_, index) => `${index}${index % 7 === 0 ? '\n' : ' '}`)
const LONG_FILE = `name,categoryId\n${ALL.map((name) => `"${name}",1\n\n,\n`).join('')}\n\n`

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

const COMPLETE = { reported: [5, 7], names: ['a', 'b', 'd', 'f\ng'] }
const QUOTE = 'The record after line 9 has a quote that is not closed.'

it.each<[string, Run, object, typeof COMPLETE]>([
  ['stores valid pets and reports the other lines', {}, { stored: 4, rejected: 2 }, COMPLETE],
  [
    'stores nothing of a file with an invalid line, unless it is to be skipped',
    { onError: 'stop' },
    { stored: 0, rejected: 1, stopReason: STOPPED },
    { reported: [5], names: [] },
  ],
  [
    'stores nothing of a file that cannot be read to its end',
    { file: `${FILE}"x` },
    { stored: 0, rejected: 2, stopReason: QUOTE },
    { reported: [5, 7], names: [] },
  ],
  [
    'stores what can be read only once up to an invalid line',
    { once: true, onError: 'stop' },
    { stored: 2, rejected: 1, stopReason: STOPPED },
    { reported: [5], names: ['a', 'b'] },
  ],
  [
    'stores what can be read only once up to where it cannot be read',
    { once: true, file: `${FILE}"x` },
    { stored: 4, rejected: 2, stopReason: QUOTE },
    COMPLETE,
  ],
])('import %s', async (_, options, result, { reported, names }) => {
  for (const size of [1, 7, 65_536]) {
    const done = run({ ...options, size })
    expect(await done.result).toEqual({ storedEarlier: 0, ...result })
    expect({ reported: done.reported, names: done.names() }).toEqual({ reported, names })
  }
})

describe('import', () => {
  it.each([1, 2, 3, 4])(
    'import stores each pet once when it is repeated after transaction %i has failed',
    async (time) => {
      const bulk = createMemoryBulk()
      await expect(run({ file: LONG_FILE }, failing(time, bulk)).result).rejects.toThrow(
        'disk full',
      )
      const stored = bulk.pets.length
      const sha256 = createHash('sha256').update(LONG_FILE).digest('hex')
      const lines = LONG_FILE.split(`"${ALL[stored]}"`)[0]?.split('\n').length
      const unfinished = expect.objectContaining({
        state: 'unfinished',
        sha256,
        lines: Number(lines) - 3,
      }) as object
      expect(await bulk.readPetImports()).toEqual(time === 1 ? [] : [unfinished])
      const again = run({ file: LONG_FILE }, bulk)
      expect(await again.result).toEqual({
        stored: COUNT - stored,
        storedEarlier: stored,
        rejected: 0,
      })
      expect(again.names()).toEqual(ALL)
      expect(await bulk.readPetImports()).toEqual([
        expect.objectContaining({ state: 'finished', sha256 }),
      ])
    },
  )

  it('import names the lines that a database does not store', async () => {
    const first = run({ file: 'name,categoryId\n\na,1\nbad\nb,1\n' }, failing(1))
    await expect(first.result).rejects.toThrow(/^Storing lines 3 to 5 failed: disk full$/)
    const second = run({ file: LONG_FILE }, failing(2))
    await expect(second.result).rejects.toThrow(/^Storing lines 15717 to 31428 failed: disk full$/)
  })

  it('import recognises a file by its whole content but its last line feed', async () => {
    const bulk = createMemoryBulk()
    await run({ file: 'name,categoryId\na,1\n' }, bulk).result
    const same = run({ file: '\ufeffname,categoryId\na,1' }, bulk)
    await expect(same.result).rejects.toThrow(
      /^This file was imported on \d{4}-\d\d-\d\d\. To store its pets once more, use --again\.$/,
    )
    expect(await run({ file: 'name,categoryId\na,1\nb,1\n' }, bulk).result).toMatchObject({
      stored: 2,
    })
    expect(bulk.pets).toHaveLength(3)
  })

  it('import continues a repetition of a file that was imported before', async () => {
    const bulk = createMemoryBulk()
    await run({ file: LONG_FILE }, bulk).result
    await expect(run({ file: LONG_FILE, again: true }, failing(2, bulk)).result).rejects.toThrow(
      'disk full',
    )
    await run({ file: LONG_FILE, again: true }, bulk).result
    expect(bulk.pets.map(({ name }) => name)).toEqual([...ALL, ...ALL])
  })

  it('import reports lines again that an earlier run skipped', async () => {
    const file = `name,categoryId\nbad\n${LONG_FILE.slice(LONG_FILE.indexOf('\n') + 1)}bad\n`
    const bulk = createMemoryBulk()
    await expect(run({ file }, failing(3, bulk)).result).rejects.toThrow('disk full')
    const { result, reported, names } = run({ file }, bulk)
    expect(await result).toMatchObject({ rejected: 2 })
    expect(reported[0]).toBe(2)
    expect(names()).toEqual(ALL)
  })

  it('import says that a file was changed between its check and its end', async () => {
    const contents = [FILE, FILE.replace('d,1', 'x,1')]
    const file = { open: () => pieces(contents.shift() ?? '') }
    const source: ImportSource = { file, format: 'csv', onError: 'skip', report() {} }
    const checked = await readPets(source, 'Checking')
    const bulk = createMemoryBulk()
    const counts = { stored: 0, storedEarlier: 0 }
    const importing = importPets(source, bulk, { checked, again: false, counts })
    await expect(importing).rejects.toThrow(
      'The file was changed during the import, which has stored 0 pets of it.',
    )
    expect(await bulk.readPetImports()).toEqual([])
  })
})
