import type { PetImport } from '@pet-store/persistence'
import { createFilePrefix } from './file-prefix.ts'

/**
 * How far this very file came earlier, whatever its name was: an import of the whole file, else the longest unfinished
 * one of its first lines. Reads only as many lines as that takes.
 */
export async function findEarlierImport(
  source: AsyncIterable<readonly string[]>,
  imports: readonly PetImport[],
): Promise<PetImport | undefined> {
  const { sums, total } = await sumBeginnings(source, [...new Set(imports.map(({ lines }) => lines))])
  const fitting = imports.filter(({ sha256, lines }) => sums.get(lines) === sha256)
  const finished = fitting.find(({ state, lines }) => state === 'finished' && lines === total)
  const unfinished = fitting.filter(({ state }) => state === 'unfinished')
  return finished ?? unfinished.toSorted((one, other) => one.lines - other.lines).at(-1)
}

interface Beginnings {
  /** SHA-256 of so many lines, as far as there are so many. */
  readonly sums: ReadonlyMap<number, string>
  /** How many lines there are, unless there are more than was asked for. */
  readonly total: number | undefined
}

async function sumBeginnings(
  source: AsyncIterable<readonly string[]>,
  lengths: readonly number[],
): Promise<Beginnings> {
  const wanted = lengths.toSorted((one, other) => one - other)
  const sums = new Map<number, string>()
  const prefix = createFilePrefix()
  for await (const lines of source) {
    let rest = lines
    for (;;) {
      const next = wanted[0]
      if (next === undefined || next > prefix.lines + rest.length) break
      const missing = next - prefix.lines
      prefix.add(rest.slice(0, missing))
      rest = rest.slice(missing)
      sums.set(next, prefix.place().sha256)
      wanted.shift()
    }
    if (wanted.length === 0 && rest.length > 0) return { sums, total: undefined }
    prefix.add(rest)
  }
  return { sums, total: prefix.lines }
}
