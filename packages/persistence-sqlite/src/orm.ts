import { MikroORM } from '@mikro-orm/sqlite'
import { EntityManagers, ormOptions } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { SqliteDialect } from 'kysely'
import { SQLITE_DIALECT } from './database/dialect.ts'
import { unavailableAfterCommit, unavailableOr } from './database/failures.ts'
import { REQUEST_MAX_WAIT_MS, withRetries } from './database/retries.ts'
import { assertFilesUnmoved } from './database/watched-files.ts'
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

/** For everything that is not hot. */
export function createSqliteEntityManagers(database: Database, { em }: MikroORM): EntityManagers {
  return new EntityManagers(em, {
    async read(work) {
      try {
        return await withRetries(work, REQUEST_MAX_WAIT_MS)
      } catch (error) {
        throw unavailableOr(error)
      }
    },

    write(work) {
      // Of this call, so that those that wait for each other do not each wait for the lock.
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
