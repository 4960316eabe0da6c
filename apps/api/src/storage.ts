import type { PetRepository } from '@pet-store/domain'
import { migrateSqlite, openSqliteStorage } from '@pet-store/persistence-sqlite'

/** What the program needs of a storage, whatever its kind. */
export interface Storage {
  readonly pets: PetRepository
  /** Rejects when the storage does not answer. */
  check(): Promise<void>
  /** Lets go of the storage; nothing can be asked afterwards. */
  close(): Promise<void>
}

/** Opens the storage that a database URL names, and brings it up to date first. */
export function openStorage(databaseUrl: string): Promise<Storage> {
  return openSqliteStorage({ url: databaseUrl, migrate: true })
}

/** Brings a storage up to date without serving, and returns the names of what was done. */
export function migrateStorage(databaseUrl: string): Promise<readonly string[]> {
  return migrateSqlite({ url: databaseUrl })
}
