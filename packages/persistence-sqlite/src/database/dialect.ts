import { PET_COLUMNS, type SqlDialect } from '@pet-store/persistence-mikro-orm'

export const SQLITE_DIALECT: SqlDialect = {
  // The driver takes a list of values for these only.
  placeholders: (sql) => sql.replaceAll(/\$\d+/g, '?'),

  // It has 64 bits, is the only type that AUTOINCREMENT takes, and strict tables know no `bigint`.
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

  findMigrationTable: `
    select 1
    from sqlite_schema
    where type = 'table' and name = 'migration'`,
}
