import { MikroORM } from '@mikro-orm/core'
import { NodeSqliteDialect, SqliteDriver } from '@mikro-orm/sql'
import { expect, it } from 'vitest'
import { INSERT_NEW_PETS, INSERT_PETS, REPLACE_IDEMPOTENCY_KEYS } from '../bulk/bulk-insert.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../entities/pet-columns.ts'
import { ormOptions } from '../orm/orm-options.ts'
import { markKeysUsed } from './api-key-statements.ts'
import { IDEMPOTENCY_KEY_COLUMNS, idempotencyKeyStatements } from './idempotency-key-statements.ts'
import { petStatements } from './pet-statements.ts'
import type { SqlDialect } from './sql-dialect.ts'

const DIALECT: SqlDialect = {
  placeholders: (sql) => sql,
  int64: 'integer',
  nowMs: '0',
  listWithStatus: '',
  listWithStatusAfter: '',
  apiKeyLock: '(select 1)',
  findMigrationTable: '',
}

const orm = new MikroORM({
  ...ormOptions(DIALECT, []),
  driver: SqliteDriver,
  dbName: ':memory:',
  driverOptions: new NodeSqliteDialect(':memory:'),
})

/** The columns of each table, as the entities have them. */
const COLUMNS = new Map<string, readonly string[]>(
  [...orm.getMetadata().getAll().values()].map(({ tableName, props }) => [
    tableName,
    props.filter(({ persist }) => persist !== false).flatMap(({ fieldNames }) => fieldNames ?? []),
  ]),
)

const KEYWORDS = [
  ...['select', 'from', 'where', 'and', 'or', 'is', 'null', 'order', 'by', 'limit', 'with', 'as'],
  ...['insert', 'into', 'values', 'on', 'conflict', 'do', 'update', 'set', 'excluded'],
]

/** Names that a statement defines itself. */
const OWN_NAMES = ['used', 'at', 'locked']

function bulkSql({ into, onConflict }: typeof INSERT_PETS): string {
  return `insert into ${into} values ${onConflict}`
}

const STATEMENTS = [
  ...Object.values(petStatements(DIALECT)).map(({ sql }) => sql),
  ...Object.values(idempotencyKeyStatements(DIALECT)).map(({ sql }) => sql),
  ...[INSERT_NEW_PETS, INSERT_PETS, REPLACE_IDEMPOTENCY_KEYS].map(bulkSql),
  markKeysUsed(2, DIALECT),
].filter((sql) => sql !== '')

it.each(STATEMENTS)('the entities have every table and column of a statement: %s', (sql) => {
  const names = sql.match(/[a-z]\w*/g)?.filter((word) => !KEYWORDS.includes(word)) ?? []
  const tables = names.filter((name) => COLUMNS.has(name))
  const columns = tables.flatMap((table) => COLUMNS.get(table) ?? [])
  expect(tables).not.toEqual([])
  for (const name of names) {
    if (!OWN_NAMES.includes(name)) expect([...tables, ...columns]).toContain(name)
  }
})

it('the lists of columns in statements name every column of their tables', () => {
  const sorted = (names: readonly string[] | undefined) => names?.toSorted()
  expect(PET_COLUMNS.split(', ')).toEqual(['id', ...NEW_PET_COLUMNS.split(', ')])
  expect(sorted(PET_COLUMNS.split(', '))).toEqual(sorted(COLUMNS.get('pet')))
  expect(sorted(IDEMPOTENCY_KEY_COLUMNS.split(', '))).toEqual(
    sorted(COLUMNS.get('idempotency_key')),
  )
})
