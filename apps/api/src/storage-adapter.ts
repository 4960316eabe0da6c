import type { Storage } from '@pet-store/domain-testing'

/** What can be done about one database. */
export interface StorageAdapter {
  /** Opens it and answers only when it works; brings it up to date first when told to, else refuses one that is behind. */
  open(migrate: boolean): Promise<Storage>
  /** Brings it up to date without serving, and gives the names of what was done. */
  migrate(): Promise<readonly string[]>
  /** The names of what it lacks. Changes nothing. */
  pending(): Promise<readonly string[]>
}
