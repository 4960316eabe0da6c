import type { BulkFile, BulkFiles, Format } from './bulk-files.ts'
import { bare, type Database, SERVICE } from './contestant.ts'

/** As much of a file as our import stores in one transaction. */
const PIECE_BYTES = 512 * 1024

/** Our commands, as arguments of `node`. */
export const OURS = {
  import: ({ path }: BulkFile) => [...SERVICE, 'import', path],
  export: (format: Format, path: string) => [...SERVICE, 'export', '--no-ids', '--format', format, '--output', path],
  copy: (from: string, to: string) => [...SERVICE, 'copy', '--from', from, '--to', to],
} as const

/** The database's own way, as arguments of `node`. */
export const OWN = {
  /** Fills a database with what is in the files, in transactions like those of our import from this format. */
  load: (database: Database, files: BulkFiles, format: Format, pets: number) => [
    bare(`bulk-${database}`),
    'load',
    // SQLite has no format of its own, so its rows are made up on the way.
    ...(database === 'sqlite' ? [String(pets), String(petsInPiece(files[format], pets))] : [files.copy.path]),
  ],
  dump: (database: Database, path: string) => [bare(`bulk-${database}`), 'dump', path],
} as const

/** How many pets come with a piece of a file. */
export function petsInPiece({ bytes }: Pick<BulkFile, 'bytes'>, pets: number): number {
  return Math.max(1, Math.floor((pets * PIECE_BYTES) / bytes))
}
