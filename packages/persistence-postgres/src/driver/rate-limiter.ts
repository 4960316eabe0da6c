import { defineEntity, p } from '@mikro-orm/core'
import type { CreateRateLimiter } from '@pet-store/access'
import type { Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'

/** The table of counted requests: one row for each key, of its latest window. */
export const RequestCountRecord = defineEntity({
  name: 'RequestCountRecord',
  tableName: 'request_count',
  properties: {
    keyId: p.text().primary(),
    // Milliseconds since 1970.
    windowStart: p.bigint(),
    requests: p.bigint(),
  },
})

/** The same for the whole statement. */
const NOW_MS = '(extract(epoch from now()) * 1000)::bigint'

/**
 * Counts a request in the window of the server's clock, which all instances share. A call that waited for the row while a
 * new window began counts in the new one. The ORM's query builder cannot express this.
 */
const TAKE: Statement<[keyId: string, windowMs: number], { requests: bigint; reset_ms: bigint }> = {
  name: 'request_count_take',
  sql: `
    insert into request_count as counted (key_id, window_start, requests)
    values ($1, ${NOW_MS} / $2::bigint * $2::bigint, 1)
    on conflict (key_id) do update set
      window_start = greatest(counted.window_start, excluded.window_start),
      requests = case when counted.window_start >= excluded.window_start then counted.requests + 1 else 1 end
    returning requests, window_start + $2::bigint - ${NOW_MS} as reset_ms`,
}

/** Counts for all instances together, with one statement for each request. */
export function createPostgresRateLimiter(runner: StatementRunner): CreateRateLimiter {
  const take = runner.write(TAKE)
  return ({ requests, windowMs }) => ({
    async take(keyId) {
      // Limits with different windows count separately.
      const counted = await take([`${keyId} ${windowMs}`, windowMs])
      const count = Number(counted.requests)
      return {
        isAllowed: count <= requests,
        remaining: Math.max(0, requests - count),
        resetMs: Number(counted.reset_ms),
      }
    },
  })
}
