import { type ApiKeyRepository, createMemoryRateLimiter } from '@pet-store/access'
import type { Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { PostgresOptions } from '@pet-store/persistence-postgres'
import { DATABASE_URL_RULE, databaseKind } from '../settings/database-url.ts'
import { InvalidSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import type { PersistenceAdapter } from './persistence-adapter.ts'
import { persistenceModule } from './persistence-module.ts'

// Only what is used is loaded: the ORM's half for the other database would take a tenth of the time of a start.
const sqlite = () => import('@pet-store/persistence-sqlite')
const postgres = () => import('@pet-store/persistence-postgres')

/** What the caller does with the database, and who is told of failures. Default: everything, and a missing database is created. */
export type PersistenceUse = Pick<PersistenceOptions, 'create' | 'readOnly' | 'onBackgroundFailure' | 'onStatement'>

/** Opens the database that the settings name. Rejects with a sentence if it cannot, or if migrations are pending and must not run. */
export async function openPersistence(settings: Settings, use: PersistenceUse = {}): Promise<Required<Persistence>> {
  const migrate = settings.migrateOnStart && use.readOnly !== true
  return withDefaults(await persistenceAdapter(settings).open({ migrate, ...use }))
}

/** What an operator should know of an adapter that does not declare that several processes may use it; else `undefined`. */
export async function oneProcessNote(settings: Settings): Promise<string | undefined> {
  const capabilities = await persistenceAdapter(settings).capabilities()
  if (capabilities?.severalProcesses) return undefined
  return 'the adapter does not declare that several processes may use it: stop this one before keys, import and other commands'
}

/**
 * Completes what an adapter may leave out, so that the rest of the program need not check. Methods are called on the
 * opened object, because it may be an instance of a class, whose methods a copy would lack.
 */
function withDefaults(opened: Persistence): Required<Persistence> {
  return {
    pets: opened.pets,
    apiKeys: opened.apiKeys ?? noApiKeys,
    createRateLimiter: (limit) => opened.createRateLimiter?.(limit) ?? createMemoryRateLimiter(limit),
    check: () => opened.check(),
    isMigrated: async () => (await opened.isMigrated?.()) ?? true,
    poolUse: () => opened.poolUse?.() ?? [],
    close: () => opened.close(),
  }
}

/** Stands in for an adapter that stores no API keys: none is valid, and none can be created. */
const noApiKeys: ApiKeyRepository = {
  add: rejectKey,
  replace: rejectKey,
  find: async () => undefined,
  findByHash: async () => undefined,
  list: async () => [],
  revoke: async () => false,
  markUsed: async () => {},
}

async function rejectKey(): Promise<never> {
  throw new Error(
    'The adapter of PERSISTENCE_MODULE stores no API keys. Put their hashes into API_KEYS_SHA256 instead.',
  )
}

/** What an operator can do who has no API key yet. */
export function remedyWithoutKeys(apiKeys: ApiKeyRepository): string {
  return apiKeys === noApiKeys
    ? 'the adapter stores none, so put their hashes into API_KEYS_SHA256'
    : 'create one with: pet-store keys create --name NAME'
}

/** The adapter that the settings name: the only switch on the kind of database. */
export function persistenceAdapter(settings: Settings): PersistenceAdapter {
  const url = settings.databaseUrl
  if (settings.persistenceModule !== '') {
    return persistenceModule(settings.persistenceModule, url, settings.databaseReplicaUrls)
  }
  const kind = databaseKind(url)
  if (kind === undefined) throw new InvalidSettings([`The URL of a database ${DATABASE_URL_RULE}.`])
  if (kind === 'sqlite') {
    return {
      capabilities: async () => (await sqlite()).sqliteCapabilities,
      open: async (mode) => (await sqlite()).openSqlitePersistence({ url, ...mode }),
      migrate: async () => (await sqlite()).migrateSqlite({ url }),
      openBulkAccess: async (mode) => (await sqlite()).openSqliteBulkAccess({ url, ...mode }),
      migrations: async () => (await sqlite()).readSqliteMigrations({ url }),
      backup: async (file) => (await sqlite()).backupSqlite({ url }, file),
      restore: async (file) => (await sqlite()).restoreSqlite({ url }, file),
    }
  }
  const options = postgresOptions(url, settings)
  return {
    capabilities: async () => (await postgres()).postgresCapabilities,
    open: async (mode) => (await postgres()).openPostgresPersistence({ ...options, ...mode }),
    migrate: async () => (await postgres()).migratePostgres(options),
    openBulkAccess: async (mode) => (await postgres()).openPostgresBulkAccess({ ...options, ...mode }),
    migrations: async () => (await postgres()).readPostgresMigrations(options),
  }
}

function postgresOptions(url: string, settings: Settings): PostgresOptions {
  return {
    url,
    replicaUrls: settings.databaseReplicaUrls,
    poolSize: settings.databasePoolSize,
    statementTimeoutMs: settings.databaseStatementTimeoutMs,
    pooler: settings.databasePooler,
  }
}
