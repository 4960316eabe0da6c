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
    throw persistenceUnavailable({
      message:
        `The column ${column} of the table ${table} needs a value, and nothing sets it: ` +
        `alter table ${table} alter column ${column} set default …, or drop not null.`,
    })
  }
}
