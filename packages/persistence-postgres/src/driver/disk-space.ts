import { INT64, isPetError, persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { isDiskFull } from '../database/failures.ts'
import { inWriteTransaction } from './transaction.ts'

/** Whether the server has had space for pets. */
export interface DiskSpace {
  /** Passes on the result of a write, and remembers if it has found the disk full. */
  note<Result>(write: Promise<Result>): Promise<Result>
  /** Rejects if a write that was noted has found the disk full, and it still is. */
  assertSpace(pool: Pool): Promise<void>
}

/** More pets than fit into the pages that exist, with ids that the sequence never assigns. */
const ADD_MANY_PETS = `
  insert into pet (id, name, category_id)
  select id, name, id
  from unnest($1::bigint[], $2::text[]) with ordinality as added(id, name, position)
  on conflict do nothing`
const IDS = Array.from({ length: 100 }, (_, number) => String(INT64.min + BigInt(number)))
const NAMES = IDS.map(() => 'x'.repeat(1_000))

/** Lets a transaction be rolled back. */
const FOUND_SPACE = new Error('There is space.')

export function watchDiskSpace(): DiskSpace {
  let isFull = false
  return {
    async note(write) {
      try {
        // Success says nothing: a repeat with an idempotency key writes nothing, and a small pet
        // may still fit into a page that exists.
        return await write
      } catch (error) {
        isFull ||= isDiskFull(error)
        throw error
      }
    },
    async assertSpace(pool) {
      if (!isFull) return
      const trial = inWriteTransaction(pool, async (client) => {
        await client.query(ADD_MANY_PETS, [IDS, NAMES])
        throw FOUND_SPACE
      })
      await trial.catch((error: unknown) => {
        if (isDiskFull(error))
          throw persistenceUnavailable({ message: 'The disk is full.', cause: error })
        // Any other error of the server is about these pets: a constraint, for example, that the
        // operator has added. It says nothing about the disk.
        if (isPetError(error)) throw error
      })
      isFull = false
    },
  }
}
