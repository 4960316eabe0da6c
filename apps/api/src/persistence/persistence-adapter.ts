import type {
  BulkAccess,
  MigrationState,
  Persistence,
  PersistenceOptions,
} from '@pet-store/persistence'
import { loadPersistenceModule } from '@pet-store/persistence/module'
import type { OnCopied } from '@pet-store/persistence-sqlite'
import { databaseKind, wrongUrl } from '../settings/database-url.ts'
import { InvalidSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'

type OpenOptions = Omit<PersistenceOptions, 'url'>

/** What the program can do with the database that the settings name. */
export interface PersistenceAdapter {
  /**
   * Resolves once the database works. Runs pending migrations if it may; otherwise rejects and
   * names them.
   */
  open(options: OpenOptions): Promise<Persistence>
  /** Opens the database for bulk access; absent if the adapter has none. */
  readonly openBulkAccess: ((options: OpenOptions) => Promise<BulkAccess>) | undefined
  /** Runs pending migrations without serving, and returns their names. */
  migrate(): Promise<readonly string[]>
  /** Returns which migrations the database has and lacks. Changes nothing. */
  migrations(): Promise<MigrationState>
  /** The path of the database file; absent if the database is not a file. */
  readonly file?: string
  /**
   * Writes a checked copy of the database to a file; `onCopied` gets the progress. Absent for a
   * database that has tools of its own for that.
   */
  backup?(file: string, onCopied: OnCopied): Promise<{ readonly pets: number }>
  /** Replaces the database, which is kept under another name with its logs, by a copy. */
  restore?(
    file: string,
    onCopied: OnCopied,
  ): Promise<{ readonly pets: number; readonly previousFiles: readonly string[] }>
}

/**
 * Loads the adapter that the settings name, without opening the database. This is the only place
 * where the program decides by the kind of database. It loads only one adapter: the ORM's code for
 * the other database would take a tenth of the time of a start.
 */
export async function persistenceAdapter(settings: Settings): Promise<PersistenceAdapter> {
  const { databaseUrl: url, persistenceModule } = settings
  if (persistenceModule !== '')
    return moduleAdapter(persistenceModule, url, settings.databaseReplicaUrls)
  const kind = databaseKind(url)
  if (kind === undefined) throw new InvalidSettings(`The URL of a database ${wrongUrl(url)}.`)
  if (kind === 'sqlite') {
    const sqlite = await import('@pet-store/persistence-sqlite')
    const databaseFile = validSetting(() => sqlite.sqliteFile(url))
    return {
      open: (given) => sqlite.openSqlitePersistence({ url, ...given }),
      openBulkAccess: (given) => sqlite.openSqliteBulkAccess({ url, ...given }),
      migrate: () => sqlite.migrateSqlite({ url }),
      migrations: () => sqlite.readSqliteMigrations({ url }),
      ...(databaseFile !== undefined && { file: databaseFile }),
      backup: (file, onCopied) => sqlite.backupSqlite({ url }, file, onCopied),
      restore: (file, onCopied) => sqlite.restoreSqlite({ url }, file, onCopied),
    }
  }
  const postgres = await import('@pet-store/persistence-postgres')
  const options = {
    url,
    replicaUrls: settings.databaseReplicaUrls,
    poolSize: settings.databasePoolSize,
    statementTimeoutMs: settings.databaseStatementTimeoutMs,
    pooler: settings.databasePooler,
  }
  return {
    open: (given) => postgres.openPostgresPersistence({ ...options, ...given }),
    openBulkAccess: (given) => postgres.openPostgresBulkAccess({ ...options, ...given }),
    migrate: () => postgres.migratePostgres(options),
    migrations: () => postgres.readPostgresMigrations(options),
  }
}

/** Calls a function that throws for an invalid setting: an `InvalidSettings` has its message. */
function validSetting<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (cause) {
    throw new InvalidSettings((cause as Error).message, { cause })
  }
}

/**
 * How long migrating may take: long enough for much data, but a promise that never settles must not
 * block a deployment forever.
 */
const MIGRATION_TIMEOUT_MS = 3_600_000

/**
 * A third-party adapter. It migrates its database by itself, so migrating means opening it with the
 * permission to do so.
 */
async function moduleAdapter(
  name: string,
  url: string,
  replicaUrls: readonly string[],
): Promise<PersistenceAdapter> {
  const { open, openBulkAccess, capabilities } = await loadPersistenceModule(name)
  const hasReplicas = replicaUrls.length > 0
  if (hasReplicas && !capabilities?.replicas) {
    throw new Error(
      `DATABASE_REPLICA_URLS must be empty: the persistence module ${JSON.stringify(name)} ` +
        'declares no replicas.',
    )
  }
  return {
    openBulkAccess: openBulkAccess && ((given) => openBulkAccess({ url, ...given })),
    open: (given) => open({ url, ...(hasReplicas && { replicaUrls }), ...given }),
    async migrate() {
      await (await open({ url, mode: 'migrate' }, MIGRATION_TIMEOUT_MS)).close()
      return []
    },
    async migrations() {
      // If the database is missing or outdated, this rejects with a message of the adapter.
      await (await open({ url, mode: 'read' })).close()
      return { database: 'migrated', pending: [], newer: [] }
    },
  }
}
