import { setImmediate } from 'node:timers/promises'
import type { Persistence } from '@pet-store/persistence'
import {
  compilePetStatements,
  SqlApiKeyRepository,
  SqlPetRepository,
} from '@pet-store/persistence-mikro-orm'
import { REQUEST_MAX_WAIT_MS, withRetries } from './database/failures.ts'
import type { SqliteOptions } from './database/settings.ts'
import { assertFilesUnmoved, closeDatabase } from './database/watched-files.ts'
import { createGroupedWrites, createSqlitePetWriter } from './driver/grouped-writes.ts'
import { createSqliteStatementRunner } from './driver/statement-runner.ts'
import { openMigrated, stateOf } from './migrations.ts'
import { createSqliteOrm } from './orm.ts'

/** An open SQLite database. Whoever opened it closes it. */
export type SqlitePersistence = Persistence & Required<Pick<Persistence, 'apiKeys' | 'isMigrated'>>

/**
 * Opens an SQLite file (or `sqlite::memory:`) and resolves once it works. Rejects with one sentence
 * if the file is missing, is no database, may not be written or, without `migrate`, has an outdated
 * schema.
 */
export function openSqlitePersistence(options: SqliteOptions): Promise<SqlitePersistence> {
  return openMigrated(options, { mayBeNewer: true }, (database) => {
    const { em } = createSqliteOrm(database)
    const addWrite = createGroupedWrites(database)
    const runner = createSqliteStatementRunner(database, addWrite)
    const writer = createSqlitePetWriter(em, database, addWrite)
    const pets = new SqlPetRepository(
      compilePetStatements(em),
      runner,
      writer,
      options.onBackgroundFailure,
    )
    const apiKeys = new SqlApiKeyRepository(em, runner)
    // Reads a page of the file, which `select 1` would not.
    const readPage = runner.readOne(
      { name: 'check', sql: 'select id from pet limit 1' },
      () => true,
    )

    return {
      pets,
      apiKeys,
      async check() {
        assertFilesUnmoved(database)
        await readPage([])
      },
      isMigrated: () =>
        withRetries(() => stateOf(database).pending.length === 0, REQUEST_MAX_WAIT_MS),
      async close() {
        await Promise.all([pets.finish(), apiKeys.finish()])
        // The reads of this turn.
        await setImmediate()
        closeDatabase(database)
      },
    }
  })
}
