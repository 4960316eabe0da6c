import { persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { withRetries } from '../retries.ts'

/**
 * The tables that row-level security may hide, and the commands that need a policy, as `pg_policy`
 * names them: `r` reads rows, `a` adds them, `w` updates them.
 */
const COMMANDS: Readonly<Record<string, string>> = {
  pet: 'ra',
  idempotency_key: 'ra',
  api_key: 'r',
  migration: 'r',
  request_count: 'raw',
}
/** The commands for which this user has a policy that allows rows. */
const ALLOWED = `select distinct polcmd::text as command from pg_policy
  where polrelid = to_regclass($1) and polpermissive
    and exists (
      select 1 from unnest(polroles) as role
      where case when role = 0 then true else pg_has_role(role, 'usage') end
    )`

/**
 * Rejects if row-level security hides a table completely from this user, which no statement
 * reports: lists are empty, and every API key is invalid. `state` has the `securedTables`.
 */
export async function assertRowsVisible(
  pool: Pool,
  state: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (const [table, needed] of Object.entries(COMMANDS)) {
    if (state[table] !== true) continue
    const { rows } = await withRetries(() => pool.query<{ command: string }>(ALLOWED, [table]))
    const allowed = rows.map(({ command }) => command)
    if (allowed.includes('*') || [...needed].every((command) => allowed.includes(command))) continue
    throw persistenceUnavailable({
      message:
        `Row-level security hides the table ${table}. As its owner run ` +
        `create policy pet_store on ${table} using (true) with check (true).`,
    })
  }
}

/** An expression for each table: whether row-level security applies to this user. */
export function securedTables(tables: readonly string[]): string {
  return tables.map((table) => `row_security_active('${table}') as ${table}`).join(', ')
}
