import { allowanceOf, type CreateRateLimiter } from '@pet-store/access'
import { persistenceUnavailable } from '@pet-store/domain'
import type { Statement } from '@pet-store/persistence-mikro-orm'
import { POSTGRES_DIALECT } from '../database/dialect.ts'
import { isRejected } from '../database/failures.ts'
import type { ConnectedDatabase } from './connections.ts'
import { RepeatableStatement } from './repeatable-statement.ts'
import type { WriteCapacity } from './writes/write-capacity.ts'

/** It has the same value everywhere in a statement. */
const NOW_MS = POSTGRES_DIALECT.nowMs
/**
 * Longer than a call waits for its row: by default the server ends a statement after five seconds.
 */
const LONGEST_WAIT_MS = 10_000
const IS_SAME_WINDOW = `
  counted.window_start between excluded.window_start
  and excluded.window_start + $2::bigint + ${LONGEST_WAIT_MS}`

/**
 * Counts a request in the current window, by the clock of the server, which all instances share. If
 * the stored window is a later one, because this call has waited for the row meanwhile, the request
 * counts in that one: beginning an older one again would allow the same requests twice. A stored
 * window that is further in the future is discarded: the clock was set back. The time is computed
 * outside `returning`, where distributed engines allow no clock.
 */
const TAKE: Statement<
  readonly [keyId: string, windowMs: number],
  readonly [requests: bigint, resetMs: bigint]
> = {
  name: 'request_count_take',
  sql: `
    with taken as (
      insert into request_count as counted (key_id, window_start, requests)
      values ($1, ${NOW_MS} / $2::bigint * $2::bigint, 1)
      on conflict (key_id) do update set
        window_start = case
          when ${IS_SAME_WINDOW} then counted.window_start else excluded.window_start end,
        requests = case when ${IS_SAME_WINDOW} then counted.requests + 1 else 1 end
      returning requests, window_start
    )
    select requests, window_start + $2::bigint - ${NOW_MS} from taken`,
}

/** Counts for all instances together, with one statement for each request. */
export function createPostgresRateLimiter(
  database: ConnectedDatabase,
  writeCapacity: WriteCapacity,
): CreateRateLimiter {
  const statement = new RepeatableStatement(TAKE, database)
  return ({ requests, windowMs }) => ({
    async take(keyId) {
      // Limits with different windows count separately.
      const values = [`${keyId} ${windowMs}`, windowMs]
      const counting = statement.run((text) => database.write(text, values))
      const [taken] = await writeCapacity.note('counts', counting).catch((error: unknown) => {
        // The values are valid, so an operator can remove the reason.
        throw isRejected(error) ? persistenceUnavailable({ cause: error }) : error
      })
      if (taken === undefined) throw new Error('Counting a request returned no row.')
      const [count, resetMs] = taken.map(Number) as [number, number]
      return allowanceOf(count, requests, resetMs)
    },
  })
}
