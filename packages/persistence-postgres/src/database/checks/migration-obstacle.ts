import pg, { type Pool } from 'pg'
import { withRetries } from '../retries.ts'
import { assertRowsVisible } from './assert-rows-visible.ts'

const MAY_CREATE = `select current_setting('transaction_read_only') = 'on' as "isReadOnly",
  has_schema_privilege(current_schema(), 'create') as "mayCreate"`
const IS_HIDDEN = `select row_security_active(to_regclass('migration')) as migration`
/** The schema is the first one of the `search_path` that exists and that the user may use. */
const WHO = 'select current_user as "user", current_schema() as schema'

/**
 * Returns why no table can be created; `undefined` if no reason is known. Since version 15 of
 * PostgreSQL only the owner of a database may create tables in the schema `public`. Rejects if
 * row-level security hides the migrations that have run.
 */
export async function migrationObstacleOf(pool: Pool): Promise<string | undefined> {
  // The table may have rows that this user does not see.
  const hidden = await withRetries(() => pool.query<{ migration: boolean | null }>(IS_HIDDEN))
  await assertRowsVisible(pool, hidden.rows[0] ?? {})
  const rights = await withRetries(() =>
    pool.query<{ isReadOnly: boolean; mayCreate: boolean | null }>(MAY_CREATE),
  )
  const { isReadOnly = false, mayCreate = true } = rights.rows[0] ?? {}
  if (isReadOnly) return 'it is read-only: a standby, or set to be read-only'
  if (mayCreate) return undefined
  const names = await withRetries(() => pool.query<{ user: string; schema: string | null }>(WHO))
  const { user = '', schema = null } = names.rows[0] ?? {}
  if (schema === null)
    return (
      `the user ${JSON.stringify(user)} may use no schema of the search_path: none exists, or it ` +
      'lacks the right to usage'
    )
  return (
    `the user ${JSON.stringify(user)} may not create tables in the schema ` +
    `${JSON.stringify(schema)}: make it the owner of the database, or run ` +
    `grant create on schema ${pg.escapeIdentifier(schema)} to ${pg.escapeIdentifier(user)}`
  )
}
