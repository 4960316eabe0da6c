import { PET_COLUMNS, type SqlDialect } from '@pet-store/persistence-mikro-orm'

export const SQLITE_DIALECT: SqlDialect = {
  // The driver accepts an array of values only for these placeholders.
  placeholders: (sql) => sql.replaceAll(/\$\d+/g, '?'),

  // It has 64 bits. AUTOINCREMENT accepts no other type, and strict tables have no `bigint`.
  int64: 'integer',

  nowMs: "cast(unixepoch('subsec') * 1000 as integer)",

  listWithStatus: `
    select ${PET_COLUMNS}
    from pet
    where status = $1
    order by id
    limit $2`,

  listWithStatusAfter: `
    select ${PET_COLUMNS}
    from pet
    where status = $1 and id > $2
    order by id
    limit $3`,

  // It has one writer at a time.
  apiKeyLock: '(select 1)',

  findMigrationTable: `
    select 1
    from sqlite_schema
    where type = 'table' and name = 'migration'`,
}
