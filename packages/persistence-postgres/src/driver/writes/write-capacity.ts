import { INT64, isPetError, persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { isDiskFull, mayLackTransactionIds } from '../../database/failures.ts'
import { inWriteTransaction } from '../transaction.ts'

/** What a write inserts into: each of them may be on a disk of its own (a tablespace). */
type Written = 'pets' | 'counts'

/** Whether the server has had space, and transaction ids, for what is written. */
export interface WriteCapacity {
  /** Passes on the result of a write, and remembers if it lacked space or a transaction id. */
  note<Result>(written: Written, write: Promise<Result>): Promise<Result>
  /** Rejects if a write that was noted lacked space or a transaction id, and one still would. */
  assertCapacity(pool: Pool): Promise<void>
}

/** Pets with ids that the sequence never assigns. */
const ADD_PETS = `
  insert into pet (id, name, category_id)
  select id, name, id
  from unnest($1::bigint[], $2::text[]) with ordinality as added(id, name, position)
  on conflict do nothing`
const ADD_KEYS = `
  insert into idempotency_key (owner, key, fingerprint, created_at, pet_id)
  select name, id, name, 0, position
  from unnest($1::text[], $2::text[]) with ordinality as added(id, name, position)
  on conflict do nothing`
const ADD_COUNTS = `
  insert into request_count (key_id, window_start, requests)
  select id, 0, 0
  from unnest($1::text[]) with ordinality as added(id, position)
  on conflict do nothing`

/** More rows than fit into the pages that exist. */
const IDS = Array.from({ length: 100 }, (_, number) => String(INT64.min + BigInt(number)))
const NAMES = IDS.map(() => 'x'.repeat(1_000))
const LONG_IDS = IDS.map((id, index) => `${id}${NAMES[index]}`)

const TRIALS: Readonly<Record<Written, readonly [sql: string, ...values: string[][]][]>> = {
  pets: [
    [ADD_PETS, IDS, NAMES],
    [ADD_KEYS, IDS, NAMES],
  ],
  counts: [[ADD_COUNTS, LONG_IDS]],
}

/** Lets a transaction be rolled back. */
const FOUND_SPACE = new Error('There is space.')

export function watchWriteCapacity(): WriteCapacity {
  const lacking = new Set<Written>()
  return {
    async note(written, write) {
      try {
        // Success says nothing: a repeat with an idempotency key writes nothing, and a small pet
        // may still fit into a page that exists.
        return await write
      } catch (error) {
        if (isDiskFull(error) || mayLackTransactionIds(error)) lacking.add(written)
        throw error
      }
    },
    async assertCapacity(pool) {
      for (const written of lacking) {
        for (const [sql, ...values] of TRIALS[written]) await assertFits(pool, sql, values)
        lacking.delete(written)
      }
    },
  }
}

async function assertFits(pool: Pool, sql: string, values: readonly string[][]): Promise<void> {
  const trial = inWriteTransaction(pool, async (client) => {
    await client.query(sql, [...values])
    throw FOUND_SPACE
  })
  await trial.catch((error: unknown) => {
    if (isDiskFull(error))
      throw persistenceUnavailable({ message: 'The disk is full.', cause: error })
    // No index has a limit that these rows exceed.
    if (mayLackTransactionIds(error)) {
      const message =
        'The database accepts no writes until it has transaction ids again: vacuum it.'
      throw persistenceUnavailable({ message, cause: error })
    }
    // Any other error of the server is about these rows: a constraint, for example, that the
    // operator has added. It says nothing about the disk.
    if (isPetError(error)) throw error
  })
}
