import { persistenceUnavailable } from '@pet-store/domain'
import { IDEMPOTENCY_KEY_COLUMNS, PET_COLUMNS } from '@pet-store/persistence-mikro-orm'
import pg, { type Pool } from 'pg'
import { withRetries } from './retries.ts'

/** The tables that creations insert into, and their columns that have values. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  pet: PET_COLUMNS.split(', '),
  idempotency_key: IDEMPOTENCY_KEY_COLUMNS.split(', '),
}

const REQUIRED_COLUMNS = `select attname as name from pg_attribute
  where attrelid = to_regclass($1) and attnum > 0 and attnotnull and not atthasdef
    and not attisdropped and attidentity = ''`
/** A trigger that runs before a row is inserted: each of these is a bit. */
const HAS_TRIGGER = `select 1 from pg_trigger
  where tgrelid = to_regclass($1) and tgtype & 7 = 7 and tgenabled <> 'D'`

/**
 * Rejects if no pet can be stored because a column that an operator has added needs a value. Reads
 * only the catalogs.
 */
export async function assertNoRequiredColumns(pool: Pool): Promise<void> {
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const { rows } = await withRetries(() =>
      pool.query<{ name: string }>(REQUIRED_COLUMNS, [table]),
    )
    const required = rows.find(({ name }) => !columns.includes(name))
    if (required === undefined) continue
    // A trigger may set the value.
    if ((await withRetries(() => pool.query(HAS_TRIGGER, [table]))).rowCount !== 0) continue
    const column = pg.escapeIdentifier(required.name)
    throw unavailable(
      `The column ${column} of the table ${table} needs a value, and nothing sets it: ` +
        `alter table ${table} alter column ${column} set default …, or drop not null.`,
    )
  }
}

const UNIQUE_INDEX =
  'select 1 from pg_index where indrelid = to_regclass($1) and indisunique and indisvalid'

/**
 * Rejects if one of the tables has lost its primary key, or has none yet because it is being
 * restored: nothing would report that an idempotency key creates several pets. Reads only the
 * catalogs. Default: the tables that creations insert into.
 */
export async function assertPrimaryKeys(
  pool: Pool,
  tables: readonly string[] = Object.keys(COLUMNS),
): Promise<void> {
  for (const table of tables) {
    if ((await withRetries(() => pool.query(UNIQUE_INDEX, [table]))).rowCount !== 0) continue
    throw unavailable(
      `The table ${table} has no primary key, as after a restore that was interrupted: ` +
        'restore the database again, or add the key.',
    )
  }
}

/** The tables that row-level security may hide, and the commands that need a policy. */
const COMMANDS: Readonly<Record<string, string>> = {
  pet: 'ra',
  idempotency_key: 'ra',
  api_key: 'r',
  migration: 'r',
}
/** A column for each table: whether row-level security applies to this user. */
export const SECURED_TABLES: string = Object.keys(COMMANDS)
  .map((table) => `row_security_active('${table}') as ${table}`)
  .join(', ')
/** The commands for which this user has a policy that allows rows. */
const ALLOWED = `select distinct polcmd::text as command from pg_policy
  where polrelid = to_regclass($1) and polpermissive
    and exists (
      select 1 from unnest(polroles) as role
      where case when role = 0 then true else pg_has_role(role, 'usage') end
    )`

/**
 * Rejects if row-level security hides a table completely from this user, which no statement
 * reports: lists are empty, and every API key is invalid. `state` has the `SECURED_TABLES`.
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
