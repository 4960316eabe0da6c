import type { RateLimiter } from '@pet-store/access'
import type { BulkAccess, Persistence } from '@pet-store/persistence'
import { openBulkAccessOf, rateLimiterOf } from '../adapter/with-persistence.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import { maxOpenings } from '../harness/several-processes.ts'

/** A database with all that a sequence of calls has open on it. */
export interface OpenDatabase {
  readonly harness: PersistenceHarness
  readonly url: string
  /** Two of them if the adapter allows that, else one. */
  readonly openings: Persistence[]
  /** Whether bulk access may be open beside these. */
  readonly hasBulkBeside: boolean
  /** Beside these if the adapter allows that, else the openings are closed meanwhile. */
  readonly useBulk: <Result>(use: (bulk: BulkAccess) => Promise<Result>) => Promise<Result>
  /** The limiter of an opening for windows of this length. */
  readonly limiter: (opening: number, windowMs: number) => RateLimiter
  /** Closes an opening, and opens it again. */
  readonly reopen: (opening: number) => Promise<void>
  /**
   * Closes all, and opens one for reading alone before the others, which stays open beside them.
   * Nothing if the adapter allows one opening.
   */
  readonly openReaderFirst: () => Promise<void>
  /** What is open for reading alone. */
  readonly reader: () => Persistence | undefined
}

/** How many requests each limiter allows. */
export const ALLOWED_REQUESTS = 3

/** Runs `work` on an empty database, and closes everything afterwards. */
export async function withOpenDatabase(
  harness: PersistenceHarness,
  work: (database: OpenDatabase) => Promise<void>,
): Promise<void> {
  const url = await harness.emptyDatabase({ mayHaveSchema: true })
  const openings: Persistence[] = []
  const count = maxOpenings(harness, 2)
  let limiters = new Map<string, RateLimiter>()
  let bulk: BulkAccess | undefined
  let reader: Persistence | undefined
  const openAll = async () => {
    while (openings.length < count) openings.push(await harness.open({ url, mode: 'migrate' }))
  }
  const closeAll = async () => {
    limiters = new Map()
    for (const opening of openings.splice(0)) await opening.close()
    await bulk?.close()
    bulk = undefined
    await reader?.close()
    reader = undefined
  }

  const database: OpenDatabase = {
    harness,
    url,
    openings,
    hasBulkBeside: count > 1 && harness.openBulkAccess !== undefined,
    async useBulk(use) {
      if (count === 1) await closeAll()
      bulk ??= await openBulkAccessOf(harness)({ url, mode: 'migrate' })
      try {
        return await use(bulk)
      } finally {
        if (count === 1) {
          await closeAll()
          await openAll()
        }
      }
    },
    limiter(opening, windowMs) {
      const name = `${opening} ${windowMs}`
      const limit = { requests: ALLOWED_REQUESTS, windowMs }
      const limiter = limiters.get(name) ?? rateLimiterOf(openings[opening] as Persistence)(limit)
      limiters.set(name, limiter)
      return limiter
    },
    async reopen(opening) {
      await openings[opening]?.close()
      openings[opening] = await harness.open({ url, mode: 'write' })
      for (const name of limiters.keys()) if (name.startsWith(`${opening} `)) limiters.delete(name)
    },
    async openReaderFirst() {
      if (count === 1) return
      await closeAll()
      reader = await harness.open({ url, mode: 'read' })
      while (openings.length < count) openings.push(await harness.open({ url, mode: 'write' }))
    },
    reader: () => reader,
  }
  try {
    await openAll()
    await work(database)
  } finally {
    await closeAll()
  }
}
