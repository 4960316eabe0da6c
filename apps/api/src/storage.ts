import { createMemoryRateLimiter } from '@pet-store/access'
import type { Storage } from '@pet-store/domain-testing'
import { migratePostgres, openPostgresStorage, pendingPostgresMigrations } from '@pet-store/persistence-postgres'
import { migrateSqlite, openSqliteStorage, pendingSqliteMigrations } from '@pet-store/persistence-sqlite'
import { noApiKeys } from './no-api-keys.ts'
import { persistenceModule } from './persistence-module.ts'
import type { Settings } from './settings.ts'
import type { StorageAdapter } from './storage-adapter.ts'

/** Opens the storage that the settings name. Rejects with a sentence on what to do where it is behind and may not be changed. */
export async function openStorage(settings: Settings): Promise<Required<Storage>> {
  const storage = storageOf(settings)
  const pending = settings.migrateOnStart ? [] : await storage.pending()
  if (pending.length > 0) {
    throw new Error(
      `The database is behind, it lacks ${pending.join(', ')}. Run pet-store migrate first, or start with MIGRATE_ON_START=true.`,
    )
  }
  // What an adapter may leave out is filled in here, so that the rest of the program need not ask.
  return {
    apiKeys: noApiKeys,
    createRateLimiter: createMemoryRateLimiter,
    ...(await storage.open(settings.migrateOnStart)),
  }
}

/** The adapter that the settings name: the only switch on the kind of storage. */
export function storageOf(settings: Settings): StorageAdapter {
  const url = settings.databaseUrl
  if (settings.persistenceModule !== '') return persistenceModule(settings.persistenceModule, url)
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
