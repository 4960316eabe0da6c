import type {
  BulkAccess,
  MigrationState,
  Persistence,
  PersistenceCapabilities,
  PersistenceOptions,
} from '@pet-store/persistence'

/** What the program can do with the database that the settings name. */
export interface PersistenceAdapter {
  /** What the adapter declares; `undefined` if it declares nothing. Opens nothing. */
  capabilities(): Promise<PersistenceCapabilities | undefined>
  /** Resolves once the database works. Runs pending migrations if it may; otherwise rejects and names them. */
  open(mode: Omit<PersistenceOptions, 'url'>): Promise<Persistence>
  /** Opens it for moving many pets at a time; `undefined`, and nothing is opened, if the adapter has no bulk access. */
  openBulkAccess(mode: Omit<PersistenceOptions, 'url'>): Promise<BulkAccess | undefined>
  /** Runs pending migrations without serving, and returns their names. */
  migrate(): Promise<readonly string[]>
  /** Which migrations the database has and lacks. Changes nothing. */
  migrations(): Promise<MigrationState>
  /** Writes a checked copy of the database to a file. Absent where the database has tools of its own for that. */
  backup?(file: string): Promise<{ readonly pets: number }>
  /** Puts a copy in the place of the database, which is kept under another name. */
  restore?(file: string): Promise<{ readonly pets: number; readonly previousFile?: string }>
}
