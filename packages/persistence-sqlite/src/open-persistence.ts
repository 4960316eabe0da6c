import { setImmediate } from 'node:timers/promises'
import type { MikroORM } from '@mikro-orm/sqlite'
import { INT64, persistenceUnavailable } from '@pet-store/domain'
import type { Persistence } from '@pet-store/persistence'
import {
  createSqlPetRepository,
  MikroOrmApiKeyRepository,
  RunningCalls,
  WAITING_LIMITS,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { closedOnFailure } from './database/closed-on-failure.ts'
import { fileMode, openSqliteDatabase } from './database/database.ts'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { assertFilesUnmoved, closeDatabase } from './database/files/watched-files.ts'
import { LAST_PET_ID } from './database/pet-id-sequence.ts'
import { type SqliteOptions, sqlitePath } from './database/settings.ts'
import { createGroupedWrites } from './driver/grouped-writes.ts'
import { createSqlitePetWriter } from './driver/pet-writer.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { migrateIfAllowed, stateOf } from './migrations.ts'
import { createSqliteEntityManagers, createSqliteOrm } from './orm.ts'

/** An open SQLite database. The caller that opened it closes it. */
export type SqlitePersistence = Persistence &
  Required<Pick<Persistence, 'apiKeys' | 'isMigrated' | 'poolUse'>>

/**
 * Opens an SQLite file (or `sqlite::memory:`) and resolves once it works. Rejects with an error
 * that names the file if it is missing, is not a database or may not be written. Also rejects if
 * its schema is outdated and `mode` does not allow migrating it.
 */
export async function openSqlitePersistence(options: SqliteOptions): Promise<SqlitePersistence> {
  const opened = await openSqliteDatabase(sqlitePath(options.url), fileMode(options))
  return closedOnFailure(opened, async (database) => {
    const orm = createSqliteOrm(database)
    await migrateIfAllowed(database, orm, options, { mayBeNewer: true })
    return persistenceOf(database, orm, options)
  })
}

function persistenceOf(
  database: Database,
  orm: MikroORM,
  { onBackgroundFailure }: SqliteOptions,
): SqlitePersistence {
  const runner = createSqliteStatementRunner(database)
  const writes = createGroupedWrites(database)
  const writer = createSqlitePetWriter(database, writes)
  const entities = createSqliteEntityManagers(database, orm)
  const dialect = SQLITE_DIALECT
  const pets = createSqlPetRepository({ dialect, runner, writer, entities, onBackgroundFailure })
  // Reads a page of the file, which `select 1` would not.
  const readPage = runner.readOne({ name: 'check', sql: 'select id from pet limit 1' }, () => true)
  const readLastPetId = runner.readOne(LAST_PET_ID, ([id]) => id)
  const checks = new RunningCalls()

  async function check(): Promise<void> {
    assertFilesUnmoved(database)
    await readPage([])
    if ((await readLastPetId([])) === INT64.max)
      throw persistenceUnavailable({ message: 'There are no more ids for pets.' })
    await writes.assertTakesWrites()
  }

  return {
    pets,
    apiKeys: new MikroOrmApiKeyRepository(entities, dialect),
    check: () => checks.track(check()),
    async isMigrated() {
      const { pending } = await entities.read('migration_list', (em) => stateOf(database, em))
      return pending.length === 0
    },
    poolUse: () => [
      {
        name: 'sqlite',
        // The driver is synchronous: no statement is running while this does.
        busy: 0,
        idle: 1,
        waiting: writer.waiting,
        waitingLimit: WAITING_LIMITS.maxStatements,
        limit: 1,
      },
    ],
    async close() {
      await Promise.all([pets.finish(), entities.finish(), checks.finish()])
      // Lets the reads of this turn of the event loop run; see `createGroupedReads`.
      await setImmediate()
      closeDatabase(database)
    },
  }
}
