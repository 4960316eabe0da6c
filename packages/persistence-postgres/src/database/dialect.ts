import { PET_COLUMNS, type SqlDialect } from '@pet-store/persistence-mikro-orm'

export const POSTGRES_DIALECT: SqlDialect = {
  placeholders: (sql) => sql,

  int64: 'bigint',

  nowMs: '(extract(epoch from now()) * 1000)::bigint',

  // For `status = $1 order by id` PostgreSQL may read the primary key until it has found enough
  // pets, because it assumes that those with a status are spread over all ids. If they all have
  // high ids, it reads the whole table. A range of a status that is ordered by status and id can
  // only be read from the index on both.
  listWithStatus: `
    select ${PET_COLUMNS}
    from pet
    where status <= $1 and status >= $1
    order by status, id
    limit $2`,

  listWithStatusAfter: `
    select ${PET_COLUMNS}
    from pet
    where status <= $1 and (status, id) > ($1, $2)
    order by status, id
    limit $3`,

  // The bytes of `uses`: any number that other programs on the same database do not use.
  apiKeyLock: `pg_advisory_xact_lock(${0x75736573})`,

  // Reading a catalog makes the session notice tables that others have created meanwhile.
  findMigrationTable: `
    select 1
    from pg_class
    where oid = to_regclass('migration')`,
}
