import type { ClientBase } from 'pg'
import { DividedConnection, ReadOnlyConnection } from '../failures.ts'
import { withRetries } from '../retries.ts'

const IS_STANDBY = 'select pg_is_in_recovery() as "isStandby"'
/** Has no function that may write, so that a pooler sends it where it sends other reads. */
const READS_STANDBY = `select current_setting('in_hot_standby', true) = 'on' as "isStandby"`

/**
 * Rejects if a connection leads to a standby, which may lack what was stored on the primary, or if
 * a pooler sends its reads to one. A connection that leads to the primary stays there: a primary
 * becomes a standby by a restart only.
 */
export async function assertPrimary(client: ClientBase): Promise<void> {
  if (await isStandby(client, IS_STANDBY))
    throw new ReadOnlyConnection('the server is a standby, and may lack pets of the primary')
  if (await isStandby(client, READS_STANDBY)) throw new DividedConnection()
}

async function isStandby(client: ClientBase, sql: string): Promise<boolean> {
  const { rows } = await withRetries(() => client.query<{ isStandby: boolean | null }>(sql))
  return rows[0]?.isStandby === true
}
