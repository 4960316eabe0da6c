import type { Entry, EntryReader } from '../entry.ts'

/** Returns the entries that a reader finds in a text; it gets `atOnce` lines at a time. */
export function entriesOf(reader: EntryReader, text: string, atOnce = 3): readonly Entry[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const entries: Entry[] = []
  for (let start = 0; start < lines.length; start += atOnce)
    entries.push(...reader.read(lines.slice(start, start + atOnce)))
  reader.end()
  return entries
}

/** Returns the pets, and line and reason of invalid entries. */
export function petsOf(entries: readonly Entry[]): readonly unknown[] {
  return entries.map((entry) => ('pet' in entry ? entry.pet : `${entry.line}: ${entry.reason}`))
}
