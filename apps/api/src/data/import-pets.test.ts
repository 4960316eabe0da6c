import type { NewPet } from '@pet-store/domain'
import { describe, expect, it } from 'vitest'
import type { FilePlace } from './file-prefix.ts'
import { createFilePrefix } from './file-prefix.ts'
import { type ImportOptions, importPets } from './import-pets.ts'
import { createCsvReader } from './read-csv.ts'

const FILE = ['name,categoryId', 'a,1', 'b,1', '', 'c', 'd,1', 'e', '"f', 'g",1']

function placeAfter(lines: number): FilePlace {
  const prefix = createFilePrefix()
  prefix.add(FILE.slice(0, lines))
  return prefix.place()
}

/** Imports the file with so many lines at a time, and gives all that came of it. */
async function run(size: number, options: Partial<ImportOptions> = {}, file = FILE) {
  const stored: string[] = []
  const reported: number[] = []
  const places: FilePlace[] = []
  async function* source() {
    for (let start = 0; start < file.length; start += size) yield file.slice(start, start + size)
  }
  const result = importPets({
    source: source(),
    reader: createCsvReader(),
    onError: 'skip',
    earlierLines: 0,
    store: async (pets: readonly NewPet[], place) => {
      stored.push(...pets.map(({ name }) => name))
      places.push(place)
    },
    report: async (refused) => void reported.push(...refused.map(({ line }) => line)),
    ...options,
  })
  return { stored, reported, places, result }
}

describe.each([1, 2, 3, 99])('An import with %i lines at a time', (size) => {
  it('stores what is good, and tells of the rest', async () => {
    const { stored, reported, result } = await run(size)
    expect(await result).toEqual({ stored: 4, storedEarlier: 0, refused: 2, end: placeAfter(9) })
    expect({ stored, reported }).toEqual({ stored: ['a', 'b', 'd', 'f\ng'], reported: [5, 7] })
  })

  it('stores what stands before the line that stops it, with the place before that line', async () => {
    const { stored, reported, places, result } = await run(size, { onError: 'stop' })
    expect(await result).toEqual({ stored: 2, storedEarlier: 0, refused: 1, fault: 'Stopped at line 5.' })
    expect({ stored, reported }).toEqual({ stored: ['a', 'b'], reported: [5] })
    expect(places.at(-1)?.lines).toBeLessThanOrEqual(4)
    for (const place of places) expect(place).toEqual(placeAfter(place.lines))
  })

  it('goes on behind what was stored earlier, and tells of every refused line again', async () => {
    for (const [earlierLines, names] of [
      [3, ['d', 'f\ng']],
      [6, ['f\ng']],
      [9, []],
    ] as const) {
      const { stored, reported, result } = await run(size, { earlierLines })
      expect(await result).toMatchObject({ stored: names.length, storedEarlier: 4 - names.length, end: placeAfter(9) })
      expect({ stored, reported }).toEqual({ stored: names, reported: [5, 7] })
    }
  })

  it('is not stopped by a line that an earlier run passed over', async () => {
    const { stored, reported, result } = await run(size, { earlierLines: 5, onError: 'stop' })
    expect(await result).toMatchObject({ stored: 1, storedEarlier: 2, refused: 2, fault: 'Stopped at line 7.' })
    expect({ stored, reported }).toEqual({ stored: ['d'], reported: [5, 7] })
  })

  it('never puts a place in the middle of a pet', async () => {
    const { places, result } = await run(size)
    await result
    for (const place of places) expect(place).toEqual(placeAfter(place.lines))
    expect(places.map(({ lines }) => lines)).not.toContain(8)
  })

  it('keeps what it stored when the file turns out to be broken', async () => {
    const { result } = await run(size, {}, [...FILE.slice(0, 4), '"x'])
    expect(await result).toMatchObject({ stored: 2, fault: 'Line 5 has a quote that is not closed.' })
  })
})

it('A file ends with its last line, also when nothing stands in it', async () => {
  const { result } = await run(3, {}, [...FILE, '', ''])
  const prefix = createFilePrefix()
  prefix.add([...FILE, '', ''])
  expect((await result).end).toEqual(prefix.place())
})

it.each([1, 2, 3, 4])('The fault of the storage at piece %i ends the import', async (bad) => {
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

it('A fault that comes while the next piece is awaited is told with that', async () => {
  async function* slow() {
    yield FILE.slice(0, 2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield FILE.slice(2, 3)
  }
  const { result } = await run(1, { source: slow(), store: () => Promise.reject(new Error('disk full')) })
  await expect(result).rejects.toThrow('disk full')
})

it('The next piece is read while one is stored, and stored after it', async () => {
  const log: string[] = []
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
    async store([pet]) {
      log.push(`begin ${pet?.name}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
      log.push(`done ${pet?.name}`)
    },
  })
  expect(log).toEqual(['read name,categoryId', 'read a,1', 'begin a', 'read b,1', 'done a', 'begin b', 'end', 'done b'])
})
