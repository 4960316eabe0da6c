import type { Persistence, PersistenceOptions } from '@pet-store/persistence'

/** What can be done about one database. */
export interface PersistenceAdapter {
  /** Opens it and resolves once it works. */
  open(mode: Omit<PersistenceOptions, 'url'>): Promise<Persistence>
  /** Migrates the schema and returns the names of the migrations that were missing. */
  migrate(): Promise<readonly string[]>
  /** Returns the names of the missing migrations. Changes nothing. */
  pending(): Promise<readonly string[]>
}
