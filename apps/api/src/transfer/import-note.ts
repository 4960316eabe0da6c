import type { PetImport, PetImportProgress } from '@pet-store/persistence'
import { type EarlierImports, findEarlierImports, walkFile } from './earlier-import.ts'
import type { PetFile } from './pet-file.ts'

/** What the database is told about an import, together with the pets. */
export interface ImportNote {
  /** The number of lines whose pets an earlier run has stored. */
  readonly storedLines: number
  advanceTo(line: number): Promise<PetImportProgress>
  finish(): Promise<PetImportProgress>
  close(): Promise<void>
}

/** What the user says about earlier imports of a file. */
export interface Repetition {
  /** Store every line, even of a file that was imported before. */
  readonly again: boolean
  /** Continue an interrupted import of a file that had the same first lines. */
  readonly continues: boolean
}

/** Finds the import to continue, or begins one. Rejects if what `repetition` says does not fit the earlier imports. */
export async function openNote(
  file: PetFile,
  imports: readonly PetImport[],
  repetition: Repetition,
): Promise<ImportNote> {
  const found = await findEarlierImports(file.open(), imports, new Date())
  let from = importToContinue(found, repetition)
  const id = from?.id ?? (imports.at(-1)?.id ?? 0n) + 1n
  // Reads beside the import, as far as that has come: to keep what the import reads would take as much memory as the file.
  const walk = walkFile(file.open())

  async function advance(line: number, state: PetImport['state']): Promise<PetImportProgress> {
    const position = await walk.advanceTo(line)
    const to = { id, ...position, fileSha256: found.fileSha256, state, changedAt: new Date() }
    const progress = { to, ...(from && { from }) }
    from = to
    return progress
  }

  return {
    storedLines: from?.lines ?? 0,
    advanceTo: (line) => advance(line, 'unfinished'),
    finish: () => advance(Number.POSITIVE_INFINITY, 'finished'),
    close: walk.close,
  }
}

function importToContinue(
  { finished, interrupted, similar }: EarlierImports,
  { again, continues }: Repetition,
): PetImport | undefined {
  if (interrupted !== undefined) return interrupted
  if (again) return undefined
  if (finished !== undefined) {
    throw new Error(`This file was imported on ${day(finished)}. To store its pets once more, use --again.`)
  }
  if (continues) {
    if (similar !== undefined) return similar
    throw new Error('No interrupted import begins like this file. Leave out --continue to store all of its lines.')
  }
  if (similar === undefined) return undefined
  const stored = similar.lines === 1 ? 'first line' : `first ${similar.lines.toLocaleString('en')} lines`
  throw new Error(
    `The ${stored} of this file were stored on ${day(similar)} by an import that was interrupted, and the file has changed since. ` +
      'To store only the lines after them, use --continue; to store every line, use --again.',
  )
}

function day({ changedAt }: PetImport): string {
  return changedAt.toISOString().slice(0, 10)
}
