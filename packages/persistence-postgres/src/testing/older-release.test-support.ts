import pg from 'pg'
import { openPostgresDatabase } from '../database.ts'
import { createPostgresOrm } from '../orm.ts'

/** The statements of the release that stored idempotency keys on the pet, exactly as it sends them. */
const ADD = `insert into "pet" ("name", "category_id", "status", "once_owner", "once_key", "once_fingerprint", "once_at")
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict ("once_owner", "once_key") where "once_key" is not null do nothing returning "id"`
const FIND = `select "id", "once_fingerprint", "once_at" from "pet" where "once_owner" = $1 and "once_key" = $2`
const FREE = `update "pet" set "once_owner" = null, "once_key" = null, "once_fingerprint" = null, "once_at" = null
  where "once_owner" = $1 and "once_key" = $2 and "once_at" <= $3 returning "id"`
const LIST = 'select "id", "name", "category_id", "status" from "pet" where "id" > $1 order by "id" limit $2'

/** Gives an empty database the schema of that release. */
export async function migrateToOlderRelease(url: string): Promise<void> {
  const database = await openPostgresDatabase({ url, poolSize: 1 })
  await createPostgresOrm(database).migrator.up({ to: '0005-note-imports' })
  await database.pool.end()
}

/** What an instance of that release does with the database; an id is `undefined` if there is no row. */
export interface OlderInstance {
  readonly client: pg.Client
  add(key: string, at: number, name?: string): Promise<string | undefined>
  find(key: string): Promise<string | undefined>
  free(key: string, notAfter: number): Promise<string | undefined>
  list(after: bigint, limit: number): Promise<readonly { readonly id: string; readonly name: string }[]>
  close(): Promise<void>
}

export async function openOlderInstance(url: string): Promise<OlderInstance> {
  // As that release connects.
  const client = new pg.Client({ connectionString: url, statement_timeout: 5_000 })
  await client.connect()
  const firstId = async (sql: string, values: unknown[]) =>
    (await client.query<{ id: string }>(sql, values)).rows[0]?.id
  return {
    client,
    add: (key, at, name = 'Rex') => firstId(ADD, [name, 1, null, 'shop', key, 'f', at]),
    find: (key) => firstId(FIND, ['shop', key]),
    free: (key, notAfter) => firstId(FREE, ['shop', key, notAfter]),
    list: async (after, limit) => (await client.query<{ id: string; name: string }>(LIST, [after, limit])).rows,
    close: () => client.end(),
  }
}
