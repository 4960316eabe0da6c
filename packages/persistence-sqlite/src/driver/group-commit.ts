import { type Cancellation, persistenceUnavailable } from '@pet-store/domain'
import Database from 'better-sqlite3'
import { unavailableOr } from '../unavailable.ts'
import { busyPauseMs, isBusy, REQUEST_MAX_WAIT_MS } from './retry-while-busy.ts'

/** Collects writes, so that one wait for the disk serves many. */
export interface GroupCommit {
  /** Runs a write in the next transaction and resolves after its commit. A write that throws fails alone. */
  add<Result>(write: () => Result, options?: GroupedWriteOptions): Promise<Result>
  /** Commits what is waiting and resolves when nothing is waiting. Never rejects: each write has its own result. */
  finish(): Promise<void>
}

interface GroupedWriteOptions {
  /** The memory that the write's values take. Default: 0. */
  readonly bytes?: number
  /** When it is aborted before the write runs, the write is dropped. */
  readonly cancellation?: Cancellation | undefined
}

/** The limits of the queue, in which writes wait while another process is writing. */
export interface GroupCommitLimits {
  readonly maxWrites: number
  readonly maxBytes: number
  readonly maxWaitMs: number
}

const LIMITS: GroupCommitLimits = { maxWrites: 10_000, maxBytes: 16 * 1024 * 1024, maxWaitMs: REQUEST_MAX_WAIT_MS }

interface WaitingWrite {
  readonly bytes: number
  readonly deadline: number
  readonly cancellation: Cancellation | undefined
  /** Runs the write; the returned function settles the caller's promise and is called after the commit. */
  readonly run: () => () => void
  readonly fail: (error: unknown) => void
}

/**
 * The writes of one turn of the event loop share a transaction. With `synchronous = full` waiting for the disk is the
 * whole cost of a write; sharing it makes full durability affordable.
 *
 * While another process is writing, the queue waits and is retried by timer: reads and health checks go on. A write that
 * waited too long, is one too many or was cancelled rejects with `persistence_unavailable`; nothing of it is stored.
 *
 * `expectFile` throws when the file that the database was opened from is not there any more.
 */
export function createGroupCommit(
  database: Database.Database,
  expectFile: () => void = () => {},
  { maxWrites, maxBytes, maxWaitMs }: GroupCommitLimits = LIMITS,
): GroupCommit {
  let queue: WaitingWrite[] = []
  let queuedBytes = 0
  let retries = 0
  let retryTimer: NodeJS.Timeout | undefined
  const finished: (() => void)[] = []

  function flush(): void {
    clearTimeout(retryTimer)
    if (!runQueue()) {
      retryTimer = setTimeout(flush, busyPauseMs(retries))
      retries += 1
      return
    }
    retries = 0
    for (const resolve of finished.splice(0)) resolve()
  }

  /** Returns false while the lock is not free; then the writes still wait. */
  function runQueue(): boolean {
    if (!dropUnwanted()) return true
    // The ORM uses the same connection: inside one of its transactions our writes would be rolled back with it.
    if (database.inTransaction) return false
    try {
      expectFile()
      database.exec('begin immediate')
    } catch (error) {
      if (isBusy(error)) return false
      for (const write of takeQueue()) write.fail(unavailableOr(error))
      return true
    }
    runGroup(takeQueue())
    return true
  }

  function runGroup(group: readonly WaitingWrite[]): void {
    let isCommitting = false
    try {
      const settle = group.map((write) => write.run())
      isCommitting = true
      database.exec('commit')
      for (const one of settle) one()
    } catch (error) {
      // When syncing a commit fails, a crash right afterwards may still recover it from the log.
      const isUnknown = isCommitting && error instanceof Database.SqliteError && error.code.startsWith('SQLITE_IOERR')
      for (const write of group) write.fail(unavailableOr(error, isUnknown ? 'unknown' : 'not_stored'))
      if (database.inTransaction) database.exec('rollback')
    }
  }

  function takeQueue(): readonly WaitingWrite[] {
    const group = queue
    queue = []
    queuedBytes = 0
    return group
  }

  /** Rejects writes that were cancelled or waited too long. Returns whether others are left. */
  function dropUnwanted(): boolean {
    const now = performance.now()
    for (const write of takeQueue()) {
      if (write.cancellation?.aborted)
        write.fail(persistenceUnavailable({ message: 'The caller no longer waits for this write.' }))
      else if (write.deadline < now)
        write.fail(persistenceUnavailable({ message: `The database was locked for more than ${maxWaitMs} ms.` }))
      else enqueue(write)
    }
    return queue.length > 0
  }

  function enqueue(write: WaitingWrite): void {
    queue.push(write)
    queuedBytes += write.bytes
  }

  return {
    add<Result>(write: () => Result, { bytes = 0, cancellation }: GroupedWriteOptions = {}) {
      return new Promise<Result>((resolve, reject) => {
        if (queue.length >= maxWrites || queuedBytes + bytes > maxBytes) {
          reject(persistenceUnavailable({ message: 'Too many writes are waiting for the database.' }))
          return
        }
        if (queue.length === 0) setImmediate(flush)
        const run = () => {
          try {
            const result = write()
            return () => resolve(result)
          } catch (error) {
            // A rejected statement undoes itself and leaves the transaction open; anything worse ends it for all.
            if (!database.inTransaction) throw error
            return () => reject(error)
          }
        }
        enqueue({ bytes, deadline: performance.now() + maxWaitMs, cancellation, run, fail: reject })
      })
    },

    finish() {
      if (queue.length === 0) return Promise.resolve()
      return new Promise((resolve) => {
        finished.push(resolve)
        flush()
      })
    },
  }
}
