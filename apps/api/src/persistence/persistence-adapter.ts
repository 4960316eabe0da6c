import type { Persistence } from '@pet-store/persistence'

/** What can be done about one database. */
export interface PersistenceAdapter {
  /** Opens it and answers only when it works; brings it up to date first when told to, else refuses one that is behind. */
  open(migrate: boolean): Promise<Persistence>
  /** Brings it up to date without serving, and gives the names of what was done. */
  migrate(): Promise<readonly string[]>
  /** The names of what it lacks. Changes nothing. */
  pending(): Promise<readonly string[]>
}
