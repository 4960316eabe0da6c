import { MikroORM } from '@mikro-orm/sqlite'
import { EntityManagers, ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { unavailableAfterCommit, unavailableOr } from './database/failures.ts'
import { assertFilesUnmoved, assertNotOverwritten } from './database/files/watched-files.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from './database/retries.ts'
import { ormConnection } from './driver/orm-connection.ts'
import { inTurn } from './driver/transaction.ts'
import { MIGRATIONS } from './schema.ts'

/**
 * The ORM over an open database. It has no other resources: closing the database closes it.
 */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    ...ormOptions(SQLITE_DIALECT, MIGRATIONS),
    dbName: database.name,
    driverOptions: new SqliteDialect({ database: ormConnection(database) }),
  })
}

/**
 * Makes the entity managers, for everything that is not on the hot path. If `readsInTurn`, reads
 * wait for the earlier writes of the connection, so that they see nothing of a transaction.
 */
export function createSqliteEntityManagers(
  database: Database,
  { em }: MikroORM,
  { readsInTurn = false } = {},
): EntityManagers {
  return new EntityManagers(em, {
    read: (work) =>
      readsInTurn ? inTurn(database, () => runRead(database, work)) : runRead(database, work),

    write(work) {
      // The deadline includes the wait for earlier writes of this connection, so that many writes
      // do not each wait this long for the lock.
      const deadline = performance.now() + REQUEST_MAX_WAIT_MS
      return inTurn(database, async () => {
        assertFilesUnmoved(database)
        try {
          const result = await withRetries(work, deadline - performance.now())
          assertFilesUnmoved(database, 'unknown')
          return result
        } catch (error) {
          throw unavailableAfterCommit(error)
        }
      })
    },
  })
}

/** Runs work that changes nothing, at once. */
async function runRead<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  assertNotOverwritten(database)
  try {
    return await withRetries(work, REQUEST_MAX_WAIT_MS)
  } catch (error) {
    throw unavailableOr(error)
  }
}
