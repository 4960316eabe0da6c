import { persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { withRetries } from '../retries.ts'

/** The tables that creations insert into. */
const WRITTEN_TABLES = ['pet', 'idempotency_key']

const WITHOUT_KEY = `select checked.name as "table" from unnest($1::text[]) as checked(name)
  left join pg_index on indrelid = to_regclass(checked.name) and indisunique and indisvalid
  where indrelid is null`

/**
 * Rejects if one of the tables that creations insert into, or of the `others`, has lost its primary
 * key, or has none yet because it is being restored. Nothing would report that an idempotency key
 * creates several pets. Reads only the catalogs.
 */
export async function assertPrimaryKeys(pool: Pool, others: readonly string[] = []): Promise<void> {
  const tables = [...WRITTEN_TABLES, ...others]
  const { rows } = await withRetries(() => pool.query<{ table: string }>(WITHOUT_KEY, [tables]))
  const [first] = rows
  if (first !== undefined)
    throw persistenceUnavailable({
      message:
        `The table ${first.table} has no primary key, as after a restore that was interrupted: ` +
        'restore the database again, or add the key.',
    })
}
