import type { NewPet } from '@pet-store/domain'
import { createFilePrefix, type FilePosition } from './earlier-import.ts'
import { BrokenFile, type Entry, type EntryReader } from './entry.ts'

/** What an import needs, and how it treats invalid lines. */
export interface ImportOptions {
  readonly source: AsyncIterable<readonly string[]>
  readonly reader: EntryReader
  /** Whether a rejected entry ends the import. */
  readonly onError: 'stop' | 'skip'
  /** The number of lines that an earlier run has processed: they are validated and reported again, but not stored. */
  readonly earlierLines: number
  /** Collects pets for the next transaction, and returns whether they are enough for one. */
  readonly collect: (pets: readonly NewPet[]) => boolean
  /** Takes what was collected, and stores it together with the position in the file after it: both or none. */
  readonly store: (position: FilePosition) => Promise<void>
  readonly report: (rejected: readonly RejectedEntry[]) => Promise<void>
}

export type RejectedEntry = Extract<Entry, { readonly reason: string }>

/** The result of an import. */
export interface ImportResult {
  readonly stored: number
  /** Pets that an earlier run stored. */
  readonly storedEarlier: number
  readonly rejected: number
  /** The end of the file; absent if the import ended before it. */
  readonly end?: FilePosition
  /** Why the import ended before the end of the file. */
  readonly brokenOff?: string
}

/** Stores the pets of a file, a part of it at a time. Pets that are stored stay stored when a later line is broken. */
export async function importPets(options: ImportOptions): Promise<ImportResult> {
  const { source, reader, onError, earlierLines, collect, store, report } = options
  const prefix = createFilePrefix()
  const counts = { stored: 0, storedEarlier: 0, rejected: 0 }
  let unprocessed: readonly string[] = []
  let collected = 0
  let storing: Promise<void> = Promise.resolve()

  /** Processes the next entries. Returns the one that ends the import, if there is one. */
  async function process(entries: readonly Entry[]): Promise<RejectedEntry | undefined> {
    const rejected = entries.filter(isRejected)
    const stop = onError === 'stop' ? rejected.find(({ line }) => line > earlierLines) : undefined
    const taken = stop === undefined ? entries : entries.slice(0, entries.indexOf(stop))
    const good = taken.filter(isGood)
    const pets = good.filter(({ line }) => line > earlierLines).map(({ pet }) => pet)
    const reported = stop === undefined ? rejected : rejected.slice(0, rejected.indexOf(stop) + 1)
    if (reported.length > 0) await report(reported)
    advance(stop === undefined ? entries.at(-1)?.lastLine : stop.line - 1)
    counts.rejected += reported.length
    counts.storedEarlier += good.length - pets.length
    collected += pets.length
    if (pets.length > 0 && collect(pets)) await storeCollected()
    return stop
  }

  /** More is read while these pets are stored; transactions run one after the other. */
  async function storeCollected(): Promise<void> {
    await storing
    if (collected === 0) return
    storing = store(prefix.position())
    // It rejects for the next `await`.
    storing.catch(() => {})
    counts.stored += collected
    collected = 0
  }

  function advance(to = prefix.lines): void {
    const lines = to - prefix.lines
    prefix.add(unprocessed.slice(0, lines))
    unprocessed = unprocessed.slice(lines)
  }

  /** Returns the reason why the import ended before the end of the file, if it did. */
  async function processAll(): Promise<string | undefined> {
    try {
      for await (const lines of source) {
        unprocessed = unprocessed.concat(lines)
        const stop = await process(reader.read(lines))
        if (stop !== undefined) return `Stopped at line ${stop.line}.`
      }
      reader.end()
      return undefined
    } catch (error) {
      if (error instanceof BrokenFile) return error.message
      throw error
    } finally {
      await storeCollected()
      await storing
    }
  }

  const brokenOff = await processAll()
  if (brokenOff !== undefined) return { ...counts, brokenOff }
  prefix.add(unprocessed)
  return { ...counts, end: prefix.position() }
}

function isRejected(entry: Entry): entry is RejectedEntry {
  return 'reason' in entry
}

function isGood(entry: Entry): entry is Exclude<Entry, RejectedEntry> {
  return 'pet' in entry
}
