import type { ClientBase } from 'pg'
import { ReadOnlyConnection } from './failures.ts'
import { withRetries } from './retries.ts'

const IS_STANDBY = 'select pg_is_in_recovery() as "isStandby"'

/**
 * Rejects if a connection leads to a standby, which may lack what was stored on the primary. A
 * connection that leads to the primary stays there: a primary becomes a standby by a restart only.
 */
export async function assertPrimary(client: ClientBase): Promise<void> {
  const { rows } = await withRetries(() => client.query<{ isStandby: boolean }>(IS_STANDBY))
  if (rows[0]?.isStandby === true)
    throw new ReadOnlyConnection('the server is a standby, and may lack pets of the primary')
}
