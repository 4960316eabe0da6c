import { setTimeout } from 'node:timers/promises'
import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Cancellation, PetId } from '@pet-store/domain'
import {
  GroupedStatements,
  type GroupOptions,
  type NewKeyColumns,
  type NewPetColumns,
  type PetWriter,
  petTables,
  type SqlValue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { isBusy, isDiskFailure, RETRY_PAUSE_MS, unavailableOr } from '../database/failures.ts'
import { assertFilesUnmoved } from '../database/watched-files.ts'

/**
 * Runs a write in the next transaction and resolves after its commit. A write that throws fails
 * alone. `values` are those that it holds while it waits.
 */
export type AddWrite = <Result>(
  write: () => Result,
  values: readonly SqlValue[],
  cancellation?: Cancellation,
) => Promise<Result>

/**
 * Puts the writes of one turn of the event loop into one transaction. With `synchronous = full`
 * waiting for the disk is the whole cost of a write; sharing it makes full durability affordable.
 * Nothing is stored, or reported as stored, when a file of the database is gone.
 */
export function createGroupedWrites(database: Database, options?: GroupOptions): AddWrite {
  const grouped = new GroupedStatements<() => unknown, unknown>(async (take) => {
    try {
      assertFilesUnmoved(database)
      database.exec('begin immediate')
    } catch (error) {
      if (!isBusy(error)) throw unavailableOr(error)
      // Another process is writing. Reads and health checks go on.
      return setTimeout(RETRY_PAUSE_MS)
    }
    commit(database, take())
  }, options)
  return <Result>(write: () => Result, values: readonly SqlValue[], cancellation?: Cancellation) =>
    grouped.add(write, values, cancellation) as Promise<Result>
}

function commit(
  database: Database,
  group: readonly WaitingStatement<() => unknown, unknown>[],
): void {
  let isCommitting = false
  try {
    const settle = group.map(({ work, resolve, reject }) => {
      try {
        const result = work()
        return () => resolve(result)
      } catch (error) {
        // A rejected statement undoes itself and leaves the transaction open; anything worse ends
        // it for all.
        if (!database.inTransaction) throw error
        return () => reject(error)
      }
    })
    isCommitting = true
    database.exec('commit')
    assertFilesUnmoved(database, 'unknown')
    for (const one of settle) one()
  } catch (error) {
    if (database.inTransaction) database.exec('rollback')
    // When syncing a commit fails, a crash right afterwards may still recover it from the log.
    throw unavailableOr(error, isCommitting && isDiskFailure(error) ? 'unknown' : 'not_stored')
  }
}

/** Adds pets; those of one turn of the event loop share a transaction. */
export function createSqlitePetWriter(
  em: SqlEntityManager,
  database: Database,
  addWrite: AddWrite,
): PetWriter {
  const { table, columns, names, keys } = petTables(em)
  const { owner, key, fingerprint, at, petId } = keys.column
  const insertPet = database.prepare<[NewPetColumns]>(
    `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
  )
  const findKey = database.prepare(`select 1 from ${keys.table} where ${owner} = ? and ${key} = ?`)
  const insertKey = database.prepare(
    `insert into ${keys.table} (${owner}, ${key}, ${fingerprint}, ${at}, ${petId}) values (?, ?, ?, ?, ?)`,
  )
  insertPet.safeIntegers()

  // A number would be rounded, and `safeIntegers` makes it a bigint.
  const add = (pet: NewPetColumns) => insertPet.run(pet).lastInsertRowid as PetId

  // Inside the transaction of the group this is a savepoint. SQLite has one writer at a time: that
  // the key is not there stays true.
  const addBoth = database.transaction(
    ([owner, key, fingerprint, at]: NewKeyColumns, pet: NewPetColumns) => {
      if (findKey.get(owner, key) !== undefined) return undefined
      const id = add(pet)
      insertKey.run(owner, key, fingerprint, at, id)
      return id
    },
  )

  return {
    add: (pet, cancellation) => addWrite(() => add(pet), pet, cancellation),
    addWithKey: (key, pet, cancellation) =>
      addWrite(() => addBoth(key, pet), [...key, ...pet], cancellation),
  }
}
