import type { NewPet } from '@pet-store/domain'
import { BrokenFile, type Entry, type EntryReader } from './entry.ts'
import { createFilePrefix, type FilePlace } from './file-prefix.ts'

/** What an import needs from outside, and how it is to be done. */
export interface ImportOptions {
  readonly source: AsyncIterable<readonly string[]>
  readonly reader: EntryReader
  /** What a refused entry does: end the import, or nothing more. */
  readonly onError: 'stop' | 'skip'
  /** How many lines an earlier run has dealt with: they are judged and reported again, and not stored. */
  readonly earlierLines: number
  /** Takes the next pets, and the place in the file behind them: both, or nothing. */
  readonly store: (pets: readonly NewPet[], place: FilePlace) => Promise<void>
  readonly report: (refused: readonly RefusedEntry[]) => Promise<void>
}

export type RefusedEntry = Extract<Entry, { readonly reason: string }>

/** What came of an import. */
export interface ImportResult {
  readonly stored: number
  /** Pets that an earlier run has stored. */
  readonly storedEarlier: number
  readonly refused: number
  /** The end of the file; left out where the import broke off. */
  readonly end?: FilePlace
  /** Why it broke off. */
  readonly fault?: string
}

/** Stores the pets of a file, a piece of it at a time. What is stored stays so when the rest turns out to be broken. */
export async function importPets(options: ImportOptions): Promise<ImportResult> {
  const { source, reader, onError, earlierLines, store, report } = options
  const prefix = createFilePrefix()
  const counts = { stored: 0, storedEarlier: 0, refused: 0 }
  let held: readonly string[] = []
  let storing: Promise<void> = Promise.resolve()

  /** Deals with the next entries. Gives the one that ends the import, if one does. */
  async function take(entries: readonly Entry[]): Promise<RefusedEntry | undefined> {
    const refused = entries.filter(isRefused)
    const stop = onError === 'stop' ? refused.find(({ line }) => line > earlierLines) : undefined
    const taken = stop === undefined ? entries : entries.slice(0, entries.indexOf(stop))
    const good = taken.filter(isGood)
    const pets = good.filter(({ line }) => line > earlierLines).map(({ pet }) => pet)
    const reported = stop === undefined ? refused : refused.slice(0, refused.indexOf(stop) + 1)
    if (reported.length > 0) await report(reported)
    advance(stop === undefined ? entries.at(-1)?.lastLine : stop.line - 1)
    counts.refused += reported.length
    counts.storedEarlier += good.length - pets.length
    if (pets.length > 0) await begin(pets)
    return stop
  }

  /** The next piece is read while this one is stored, and no piece is begun before the last one is stored. */
  async function begin(pets: readonly NewPet[]): Promise<void> {
    await storing
    storing = store(pets, prefix.place())
    // Whoever awaits it next is told.
    storing.catch(() => {})
    counts.stored += pets.length
  }

  function advance(to = prefix.lines): void {
    const lines = to - prefix.lines
    prefix.add(held.slice(0, lines))
    held = held.slice(lines)
  }

  /** Goes to the end, or gives the reason why not. */
  async function takeAll(): Promise<string | undefined> {
    try {
      for await (const lines of source) {
        held = held.concat(lines)
        const stop = await take(reader.read(lines))
        if (stop !== undefined) return `Stopped at line ${stop.line}.`
      }
      reader.end()
      return undefined
    } catch (error) {
      if (error instanceof BrokenFile) return error.message
      throw error
    } finally {
      await storing
    }
  }

  const fault = await takeAll()
  if (fault !== undefined) return { ...counts, fault }
  prefix.add(held)
  return { ...counts, end: prefix.place() }
}

function isRefused(entry: Entry): entry is RefusedEntry {
  return 'reason' in entry
}

function isGood(entry: Entry): entry is Exclude<Entry, RefusedEntry> {
  return 'pet' in entry
}
