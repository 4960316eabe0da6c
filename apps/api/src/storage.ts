import type { PetRepository } from '@pet-store/domain'
import { migratePostgres, openPostgresStorage, pendingPostgresMigrations } from '@pet-store/persistence-postgres'
import { migrateSqlite, openSqliteStorage, pendingSqliteMigrations } from '@pet-store/persistence-sqlite'
import type { Settings } from './settings.ts'

/** What the program needs of a storage, whatever its kind. */
export interface Storage {
  readonly pets: PetRepository
  /** Rejects when the storage does not answer. */
  check(): Promise<void>
  /** Lets go of the storage; nothing can be asked afterwards. */
  close(): Promise<void>
}

/** What can be done about one database. */
export interface StorageAdapter {
  /** Opens it and answers only when it works; brings it up to date first when told to, else refuses one that is behind. */
  open(migrate: boolean): Promise<Storage>
  /** Brings it up to date without serving, and gives the names of what was done. */
  migrate(): Promise<readonly string[]>
  /** The names of what it lacks. Changes nothing. */
  pending(): Promise<readonly string[]>
}

/** Opens the storage that the settings name. Rejects with a sentence on what to do where it is behind and may not be changed. */
export async function openStorage(settings: Settings): Promise<Storage> {
  const storage = storageOf(settings)
  const pending = settings.migrateOnStart ? [] : await storage.pending()
  if (pending.length > 0) {
    throw new Error(
      `The database is behind, it lacks ${pending.join(', ')}. Run pet-store migrate first, or start with MIGRATE_ON_START=true.`,
    )
  }
  return storage.open(settings.migrateOnStart)
}

/** The adapter that the settings name: the only switch on the kind of storage. */
export function storageOf(settings: Settings): StorageAdapter {
  const url = settings.databaseUrl
  if (url.startsWith('sqlite:')) {
    return {
      open: (migrate) => openSqliteStorage({ url, migrate }),
      migrate: () => migrateSqlite({ url }),
      pending: () => pendingSqliteMigrations({ url }),
    }
  }
  const options = {
    url,
    poolSize: settings.databasePoolSize,
    statementTimeout: settings.databaseStatementTimeout,
    pooler: settings.databasePooler,
  }
  return {
    open: (migrate) => openPostgresStorage({ ...options, migrate }),
    migrate: () => migratePostgres(options),
    pending: () => pendingPostgresMigrations(options),
  }
}
