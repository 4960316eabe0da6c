import { createHash } from 'node:crypto'
import type { PetImport } from '@pet-store/persistence'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findEarlierImports, walkFile } from './earlier-import.ts'
import { pieces } from './testing/entries.test-support.ts'

const FILE = 'name,categoryId\na,1\nb,1\nc,1\nd,1\n'
const NOW = new Date('2027-03-01T00:00:00Z')
const DAY_MS = 24 * 60 * 60 * 1000

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
const first = (count: number, text = FILE) => text.split('\n', count).join('\n').concat('\n')

/** An import of the first lines of a file. */
function imported(lines: number, fields: Partial<PetImport> = {}, file = FILE): PetImport {
  return {
    id: 1n,
    sha256: sha256Of(first(lines, file)),
    fileSha256: sha256Of(file),
    state: 'unfinished',
    lines,
    changedAt: NOW,
    ...fields,
  }
}
const finished = (file = FILE) => imported(file.split('\n').length - 1, { state: 'finished' }, file)

describe.each([1, 2, 7, 999])('earlier imports of a file, read %i bytes at a time', (size) => {
  const find = async (imports: readonly PetImport[], file = FILE) => {
    const { fileSha256, ...found } = await findEarlierImports(pieces(file, size), imports, NOW)
    expect(fileSha256).toBe(sha256Of(file.replace('\ufeff', '').replace(/\n?$/, '\n')))
    return found
  }

  it('are none if nothing or only other files were imported', async () => {
    expect(await find([])).toEqual({})
    expect(await find([imported(2, {}, 'name,categoryId\nb,1\n'), imported(2, { lines: 3 })])).toEqual({})
    expect(await find([imported(2, { lines: 99 })])).toEqual({})
  })

  it('are the interrupted one of this very file, even if a longer one of a similar file exists', async () => {
    const similar = imported(4, { id: 2n }, FILE.replace('d,1', 'x,1'))
    expect(await find([imported(2), similar])).toEqual({ interrupted: imported(2), similar })
    expect(await find([imported(3)], FILE)).toMatchObject({ interrupted: imported(3) })
  })

  it('are similar if only the lines after the stored ones differ', async () => {
    const [short, long] = [imported(2, {}, first(2)), imported(4, { id: 2n }, FILE.replace('d,1', 'x,1'))]
    expect(await find([short, long])).toEqual({ similar: long })
  })

  it('are ignored after 30 days, unless the file is unchanged', async () => {
    const old = { changedAt: new Date(NOW.getTime() - 31 * DAY_MS) }
    expect(await find([imported(2, old, first(2))])).toEqual({})
    expect(await find([imported(2, old)])).toEqual({ interrupted: imported(2, old) })
  })

  it('are finished if the whole file was imported, not a shorter or a longer one', async () => {
    expect(await find([finished()])).toEqual({ finished: finished() })
    expect(await find([finished(first(3)), finished(`${FILE}e,1\n`)])).toEqual({})
  })

  it('do not depend on a byte order mark or on the last line feed', async () => {
    for (const file of [`\ufeff${FILE}`, FILE.slice(0, -1), `\ufeff${FILE.slice(0, -1)}`]) {
      expect(await find([finished()], file)).toEqual({ finished: finished() })
      expect(await find([imported(5)], file)).toMatchObject({ interrupted: imported(5) })
    }
  })
})

it('walks to the end of a line, however its pieces are cut, and to the end of the file', async () => {
  const text = fc.array(fc.constantFrom('a', 'é', '\n', '\n\r\n', '\ufeff', '')).map((parts) => `x\n${parts.join('')}`)
  const steps = fc.array(fc.nat(6), { maxLength: 3 }).map((counts) => counts.toSorted((one, other) => one - other))
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), steps, async (file, size, lineCounts) => {
      const lines = file.replace(/\n$/, '').split('\n')
      const walk = walkFile(pieces(file, size))
      for (const count of [...lineCounts, Number.POSITIVE_INFINITY]) {
        const before = lines.slice(0, count)
        const sha256 = sha256Of(before.map((line) => `${line}\n`).join(''))
        expect(await walk.advanceTo(count)).toEqual({ lines: before.length, sha256 })
      }
    }),
  )
})
