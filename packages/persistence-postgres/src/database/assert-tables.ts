import { persistenceUnavailable } from '@pet-store/domain'
import { IDEMPOTENCY_KEY_COLUMNS, PET_COLUMNS } from '@pet-store/persistence-mikro-orm'
import pg, { type Pool } from 'pg'
import { withRetries } from './retries.ts'

/** The tables that creations insert into, and their columns that have values. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  pet: PET_COLUMNS.split(', '),
  idempotency_key: IDEMPOTENCY_KEY_COLUMNS.split(', '),
}

/** With a domain as its type, a column may need or have a value because of that. */
const REQUIRED_COLUMNS = `select checked.name as "table", attname as "column"
  from unnest($1::text[]) as checked(name)
  join pg_attribute on attrelid = to_regclass(checked.name)
  join pg_type on pg_type.oid = atttypid
  where attnum > 0 and not attisdropped and (attnotnull or typnotnull)
    and not atthasdef and attidentity = '' and typdefault is null`
/** A trigger that runs before a row is inserted: each of these is a bit. */
const HAS_TRIGGER = `select 1 from pg_trigger
  where tgtype & 7 = 7 and tgenabled in ('O', 'A') and (tgrelid = to_regclass($1)
    or tgrelid in (select inhrelid from pg_inherits where inhparent = to_regclass($1)))`

/**
 * Rejects if no pet can be stored because a column that an operator has added needs a value. Reads
 * only the catalogs.
 */
export async function assertNoRequiredColumns(pool: Pool): Promise<void> {
  const { rows } = await withRetries(() =>
    pool.query<{ table: string; column: string }>(REQUIRED_COLUMNS, [Object.keys(COLUMNS)]),
  )
  for (const required of rows) {
    const { table } = required
    if (COLUMNS[table]?.includes(required.column)) continue
    // A trigger may set the value, even one of a partition.
    if ((await withRetries(() => pool.query(HAS_TRIGGER, [table]))).rowCount !== 0) continue
    const column = pg.escapeIdentifier(required.column)
    throw unavailable(
      `The column ${column} of the table ${table} needs a value, and nothing sets it: ` +
        `alter table ${table} alter column ${column} set default …, or drop not null.`,
    )
  }
}

const WITHOUT_KEY = `select checked.name as "table" from unnest($1::text[]) as checked(name)
  left join pg_index on indrelid = to_regclass(checked.name) and indisunique and indisvalid
  where indrelid is null`

/**
 * Rejects if one of the tables that creations insert into, or of the `others`, has lost its primary
 * key, or has none yet because it is being restored: nothing would report that an idempotency key
 * creates several pets. Reads only the catalogs.
 */
export async function assertPrimaryKeys(pool: Pool, others: readonly string[] = []): Promise<void> {
  const tables = [...Object.keys(COLUMNS), ...others]
  const { rows } = await withRetries(() => pool.query<{ table: string }>(WITHOUT_KEY, [tables]))
  const [first] = rows
  if (first !== undefined)
    throw unavailable(
      `The table ${first.table} has no primary key, as after a restore that was interrupted: ` +
        'restore the database again, or add the key.',
    )
}

/** The tables that row-level security may hide, and the commands that need a policy. */
const COMMANDS: Readonly<Record<string, string>> = {
  pet: 'ra',
  idempotency_key: 'ra',
  api_key: 'r',
  migration: 'r',
  request_count: 'raw',
}
/** An expression for each table: whether row-level security applies to this user. */
export function securedTables(tables: readonly string[]): string {
  return tables.map((table) => `row_security_active('${table}') as ${table}`).join(', ')
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
    throw unavailable(
      `Row-level security hides the table ${table}. As its owner run ` +
        `create policy pet_store on ${table} using (true) with check (true).`,
    )
  }
}

function unavailable(message: string): Error {
  return persistenceUnavailable({ message })
}
