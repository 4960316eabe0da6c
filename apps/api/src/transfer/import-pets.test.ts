import { describe, expect, it } from 'vitest'
import { createFilePrefix, type FilePosition } from './earlier-import.ts'
import { type ImportOptions, importPets } from './import-pets.ts'
import { createCsvReader } from './read-csv.ts'

const FILE = ['name,categoryId', 'a,1', 'b,1', '', 'c', 'd,1', 'e', '"f', 'g",1']

function positionAfter(lines: number): FilePosition {
  const prefix = createFilePrefix()
  prefix.add(FILE.slice(0, lines))
  return prefix.position()
}

/** Imports the file, `size` lines at a time, and returns everything that the import did. */
async function run(size: number, options: Partial<ImportOptions> = {}, file = FILE, petsPerTransaction = 1) {
  const collected: string[] = []
  const transactions: string[][] = []
  const reported: number[] = []
  const positions: FilePosition[] = []
  async function* source() {
    for (let start = 0; start < file.length; start += size) yield file.slice(start, start + size)
  }
  const result = importPets({
    source: source(),
    reader: createCsvReader(),
    onError: 'skip',
    earlierLines: 0,
    collect: (pets) => collected.push(...pets.map(({ name }) => name)) >= petsPerTransaction,
    store: async (position) => {
      transactions.push(collected.splice(0))
      positions.push(position)
    },
    report: async (rejected) => void reported.push(...rejected.map(({ line }) => line)),
    ...options,
  })
  return { transactions, reported, positions, result }
}

describe.each([1, 2, 3, 99])('import, %i lines at a time,', (size) => {
  it('stores valid pets and reports the other lines', async () => {
    const { transactions, reported, result } = await run(size)
    expect(await result).toEqual({ stored: 4, storedEarlier: 0, rejected: 2, end: positionAfter(9) })
    expect({ stored: transactions.flat(), reported }).toEqual({ stored: ['a', 'b', 'd', 'f\ng'], reported: [5, 7] })
  })

  it('stores the pets before the line that ends it, with the position before that line', async () => {
    const { transactions, reported, positions, result } = await run(size, { onError: 'stop' })
    expect(await result).toEqual({ stored: 2, storedEarlier: 0, rejected: 1, brokenOff: 'Stopped at line 5.' })
    expect({ stored: transactions.flat(), reported }).toEqual({ stored: ['a', 'b'], reported: [5] })
    expect(positions.at(-1)?.lines).toBeLessThanOrEqual(4)
    for (const position of positions) expect(position).toEqual(positionAfter(position.lines))
  })

  it('continues after the lines of an earlier run and reports every rejected line again', async () => {
    for (const [earlierLines, names] of [
      [3, ['d', 'f\ng']],
      [6, ['f\ng']],
      [9, []],
    ] as const) {
      const { transactions, reported, result } = await run(size, { earlierLines })
      expect(await result).toMatchObject({
        stored: names.length,
        storedEarlier: 4 - names.length,
        end: positionAfter(9),
      })
      expect({ stored: transactions.flat(), reported }).toEqual({ stored: names, reported: [5, 7] })
    }
  })

  it('is not ended by a line that an earlier run skipped', async () => {
    const { transactions, reported, result } = await run(size, { earlierLines: 5, onError: 'stop' })
    expect(await result).toMatchObject({ stored: 1, storedEarlier: 2, rejected: 2, brokenOff: 'Stopped at line 7.' })
    expect({ stored: transactions.flat(), reported }).toEqual({ stored: ['d'], reported: [5, 7] })
  })

  it('has no position in the middle of a pet', async () => {
    const { positions, result } = await run(size)
    await result
    for (const position of positions) expect(position).toEqual(positionAfter(position.lines))
    expect(positions.map(({ lines }) => lines)).not.toContain(8)
  })

  it('leaves pets stored when a later line is broken', async () => {
    const { result } = await run(size, {}, [...FILE.slice(0, 4), '"x'])
    expect(await result).toMatchObject({ stored: 2, brokenOff: 'Line 5 has a quote that is not closed.' })
  })
})

it('import ends with the last line of a file, even if it is empty', async () => {
  const { result } = await run(3, {}, [...FILE, '', ''])
  const prefix = createFilePrefix()
  prefix.add([...FILE, '', ''])
  expect((await result).end).toEqual(prefix.position())
})

it.each([1, 2, 3, 4])('import rejects when storing piece %i fails', async (bad) => {
  let count = 0
  const { result } = await run(1, {
    store: async () => {
      count += 1
      if (count === bad) throw new Error('disk full')
    },
  })
  await expect(result).rejects.toThrow('disk full')
  expect(count).toBe(bad)
})

it('import rejects when storing fails while the next piece is read', async () => {
  async function* slow() {
    yield FILE.slice(0, 2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield FILE.slice(2, 3)
  }
  const { result } = await run(1, { source: slow(), store: () => Promise.reject(new Error('disk full')) })
  await expect(result).rejects.toThrow('disk full')
})

it('import reads the next piece while one is stored', async () => {
  const log: string[] = []
  let name: string | undefined
  async function* source() {
    for (const line of FILE.slice(0, 3)) {
      log.push(`read ${line}`)
      yield [line]
    }
    log.push('end')
  }
  await importPets({
    source: source(),
    reader: createCsvReader(),
    onError: 'stop',
    earlierLines: 0,
    report: async () => {},
    collect([pet]) {
      name = pet?.name
      return true
    },
    async store() {
      const stored = name
      log.push(`begin ${stored}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
      log.push(`done ${stored}`)
    },
  })
  expect(log).toEqual(['read name,categoryId', 'read a,1', 'begin a', 'read b,1', 'done a', 'begin b', 'end', 'done b'])
})

it('import stores what was collected as soon as it is enough for a transaction, and the rest at the end', async () => {
  const file = ['name,categoryId', ...Array.from({ length: 7 }, (_, index) => `${index},1`)]
  const { transactions, positions, result } = await run(2, {}, file, 3)
  expect(await result).toMatchObject({ stored: 7 })
  expect(transactions).toEqual([
    ['0', '1', '2'],
    ['3', '4', '5', '6'],
  ])
  expect(positions.map(({ lines }) => lines)).toEqual([4, 8])
})
