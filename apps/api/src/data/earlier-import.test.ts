import { createHash } from 'node:crypto'
import type { PetImport } from '@pet-store/persistence'
import { describe, expect, it } from 'vitest'
import { findEarlierImport } from './earlier-import.ts'

const FILE = ['name,categoryId', 'a,1', 'b,1', 'c,1', 'd,1']

function row(lines: readonly string[], state: PetImport['state']): PetImport {
  const sha256 = createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex')
  return { id: 1n, sha256, state, lines: lines.length, changedAt: new Date(1) }
}
const first = (count: number) => row(FILE.slice(0, count), 'unfinished')

let read = 0
async function* source(lines: readonly string[], size: number) {
  for (let start = 0; start < lines.length; start += size) {
    read += 1
    yield lines.slice(start, start + size)
  }
}

describe.each([1, 2, 3, 99])('An earlier import, with %i lines at a time', (size) => {
  const find = (...rows: PetImport[]) => findEarlierImport(source(FILE, size), rows)

  it('is none where nothing was imported, or only other files were', async () => {
    expect(await find(row(['name,categoryId', 'b,1'], 'unfinished'))).toBeUndefined()
    expect(await find({ ...first(2), lines: 3 }, { ...first(2), lines: 99 })).toBeUndefined()
  })

  it('is the longest unfinished beginning of the same file', async () => {
    expect(await find(first(2), first(4), first(3))).toEqual(first(4))
    expect(await find(first(2), row([...FILE.slice(0, 3), 'x,1'], 'unfinished'))).toEqual(first(2))
    expect(await find(first(5))).toEqual(first(5))
    expect(await find(row([...FILE, 'e,1'], 'unfinished'))).toBeUndefined()
  })

  it('is the whole file first of all', async () => {
    const whole = row(FILE, 'finished')
    expect(await find(first(2), whole, first(5))).toEqual(whole)
    expect(await find(row(FILE.slice(0, 3), 'finished'), first(3))).toEqual(first(3))
  })

  it('is no shorter file that was imported to its end, nor a longer one', async () => {
    expect(await find(row(FILE.slice(0, 3), 'finished'))).toBeUndefined()
    expect(await find(row([...FILE, 'e,1'], 'finished'))).toBeUndefined()
  })
})

it('No more is read than it takes', async () => {
  read = 0
  await findEarlierImport(source(FILE, 1), [first(2)])
  expect(read).toBe(3)
})
