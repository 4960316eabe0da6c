import type { Persistence, PersistenceOptions } from '@pet-store/persistence'

/** What the program can do with the database that the settings name. */
export interface PersistenceAdapter {
  /** Resolves once the database works. Runs pending migrations if it may; otherwise rejects and names them. */
  open(mode: Omit<PersistenceOptions, 'url'>): Promise<Persistence>
  /** Runs pending migrations without serving, and returns their names. */
  migrate(): Promise<readonly string[]>
  /** The names of pending migrations. Changes nothing. */
  pending(): Promise<readonly string[]>
}
