import { PET_FIELDS } from '@pet-store/domain'
import type { Entry, ReadEntries } from '../pet-files/entry.ts'
import { readText } from '../pet-files/read-text.ts'

/** A file in pieces of this size. */
export async function* pieces(content: string | Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(content)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/**
 * A CSV file of these records, of which the first names the columns. Fields without one get an
 * empty column behind them.
 */
export function csvOf(columns: string, ...records: readonly string[]): string {
  const more = Object.keys(PET_FIELDS).filter((field) => !columns.split(',').includes(field))
  const empty = ','.repeat(more.length)
  return [[columns, ...more].join(), ...records.map((record) => record + empty), ''].join('\n')
}

/** Returns the entries that a reader finds in a file. */
export async function entriesOf(
  read: ReadEntries,
  content: string,
  size?: number,
): Promise<readonly Entry[]> {
  const all: Entry[] = []
  for await (const entries of read(readText(pieces(content, size)))) all.push(...entries)
  return all
}

/** Returns the pets, and line and reason of invalid entries. */
export function petsOf(entries: readonly Entry[]): readonly unknown[] {
  return entries.map((entry) => ('pet' in entry ? entry.pet : `${entry.line}: ${entry.reason}`))
}
