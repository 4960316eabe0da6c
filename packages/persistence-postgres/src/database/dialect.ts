import { PET_COLUMNS, type SqlDialect } from '@pet-store/persistence-mikro-orm'

export const POSTGRES_DIALECT: SqlDialect = {
  placeholders: (sql) => sql,

  int64: 'bigint',

  nowMs: '(extract(epoch from now()) * 1000)::bigint',

  // PostgreSQL believes that pets with a status are spread over all ids, and may read in the order
  // of the primary key until it has found enough: if they all have high ids, that is the whole
  // table. A range of one status in the order of status and id can only be read from the index on
  // both.
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

  // Through a catalog, which makes the session take notice of tables that others have created since
  // it looked last.
  findMigrationTable: `
    select 1
    from pg_class
    where oid = to_regclass('migration')`,
}
