import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { Cancellation, PetId } from '@pet-store/domain'
import {
  bytesOf,
  type NewKeyColumns,
  type NewPetColumns,
  type PetWriter,
  petTables,
  WAITING_LIMITS,
  type WaitingLimits,
  WaitingQueue,
  type WaitingStatement,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { retryPauseMs } from '../database/retries.ts'
import { isBusy, isDiskFailure, unavailableOr } from '../database/unavailable.ts'

interface GroupedWrite extends WaitingStatement {
  /** Runs the write; the returned function settles the caller's promise and is called after the commit. */
  readonly run: () => () => void
}

/**
 * Puts the writes of one turn of the event loop into one transaction. With `synchronous = full` waiting for the disk is
 * the whole cost of a write; sharing it makes full durability affordable.
 *
 * While another process is writing, they wait and are retried by timer: reads and health checks go on.
 */
export class GroupedWrites {
  readonly #database: Database
  readonly #assertFile: () => void
  readonly #queue: WaitingQueue<GroupedWrite>
  readonly #finished: (() => void)[] = []
  #isScheduled = false
  #retries = 0

  /** `assertFile` throws when the file that the database was opened from is gone. */
  constructor(database: Database, assertFile: () => void = () => {}, limits: WaitingLimits = WAITING_LIMITS) {
    this.#database = database
    this.#assertFile = assertFile
    this.#queue = new WaitingQueue(limits)
  }

  /**
   * Runs a write, whose values take this memory, in the next transaction and resolves after its commit. A write that throws
   * fails alone.
   */
  add<Result>(write: () => Result, bytes: number, cancellation?: Cancellation): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const run = () => {
        try {
          const result = write()
          return () => resolve(result)
        } catch (error) {
          // A rejected statement undoes itself and leaves the transaction open; anything worse ends it for all.
          if (!this.#database.inTransaction) throw error
          return () => reject(error)
        }
      }
      this.#queue.add({ bytes, cancellation, run, reject })
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => this.#flush())
    })
  }

  /** Commits what is waiting and resolves when nothing is waiting. Never rejects: each write has its own result. */
  finish(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#finished.push(resolve)
      this.#flush()
    })
  }

  #flush(): void {
    this.#isScheduled = !this.#commitQueue()
    if (this.#isScheduled) {
      setTimeout(() => this.#flush(), retryPauseMs(this.#retries++))
      return
    }
    this.#retries = 0
    for (const resolve of this.#finished.splice(0)) resolve()
  }

  /** Returns false while the lock is not free; then the writes still wait. */
  #commitQueue(): boolean {
    if (this.#queue.length === 0) return true
    try {
      this.#assertFile()
      this.#database.exec('begin immediate')
    } catch (error) {
      if (isBusy(error)) return false
      for (const write of this.#queue.take()) write.reject(unavailableOr(error))
      return true
    }
    this.#commit(this.#queue.take())
    return true
  }

  #commit(group: readonly GroupedWrite[]): void {
    let isCommitting = false
    try {
      const settle = group.map((write) => write.run())
      isCommitting = true
      this.#database.exec('commit')
      for (const one of settle) one()
    } catch (error) {
      // When syncing a commit fails, a crash right afterwards may still recover it from the log.
      const outcome = isCommitting && isDiskFailure(error) ? 'unknown' : 'not_stored'
      for (const write of group) write.reject(unavailableOr(error, outcome))
      if (this.#database.inTransaction) this.#database.exec('rollback')
    }
  }
}

/** Adds pets; those of one turn of the event loop share a transaction. */
export function createSqlitePetWriter(em: SqlEntityManager, database: Database, writes: GroupedWrites): PetWriter {
  const statements = compileAdds(em)
  const insertPet = database.prepare<[NewPetColumns]>(statements.insertPet).safeIntegers()
  const findKey = database.prepare(statements.findKey)
  const insertKey = database.prepare(statements.insertKey)

  // A number would be rounded, and `safeIntegers` makes it a bigint.
  const add = (pet: NewPetColumns) => insertPet.run(pet).lastInsertRowid as PetId

  // Inside the transaction of the group this is a savepoint. SQLite has one writer at a time: that the key is not there
  // stays true.
  const addBoth = database.transaction(([owner, key, fingerprint, at]: NewKeyColumns, pet: NewPetColumns) => {
    if (findKey.get(owner, key) !== undefined) return undefined
    const id = add(pet)
    insertKey.run(owner, key, fingerprint, at, id)
    return id
  })

  return {
    add: (pet, cancellation) => writes.add(() => add(pet), bytesOf(pet), cancellation),
    addWithKey: (key, pet, cancellation) =>
      writes.add(() => addBoth(key, pet), bytesOf(key) + bytesOf(pet), cancellation),
  }
}

function compileAdds(em: SqlEntityManager) {
  const { table, columns, names, keys } = petTables(em)
  const { owner, key, fingerprint, at, petId } = keys.column
  return {
    insertPet: `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
    findKey: `select 1 from ${keys.table} where ${owner} = ? and ${key} = ?`,
    insertKey: `insert into ${keys.table} (${owner}, ${key}, ${fingerprint}, ${at}, ${petId}) values (?, ?, ?, ?, ?)`,
  }
}
