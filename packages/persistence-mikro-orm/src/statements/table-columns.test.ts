import { MikroORM, NodeSqliteDialect, SqliteDriver } from '@mikro-orm/sql'
import { expect, it } from 'vitest'
import { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import { PetRecord } from '../entities/pet-record.ts'
import { namesOf, statementFor } from './table-columns.ts'

// Naming needs a dialect and connects to nothing.
const { em } = new MikroORM({
  driver: SqliteDriver,
  driverOptions: new NodeSqliteDialect(':memory:'),
  dbName: ':memory:',
  entities: [PetRecord, IdempotencyKeyRecord],
})

it('Names come from the entities, and a property that is not there is an error', () => {
  const names = namesOf(em, IdempotencyKeyRecord, ['owner', 'at'])
  expect(names).toEqual({ table: 'idempotency_key', column: { owner: 'owner', at: 'created_at' } })
  expect(() => namesOf(em, PetRecord, ['colour'])).toThrow('pet has no property colour')
})

it('Placeholders for SQLite are in order, each once', () => {
  const statement = statementFor(em)
  expect(statement('find', 'select $1, $2').sql).toBe('select ?, ?')
  for (const sql of ['select $2, $1', 'select $1, $1']) expect(() => statement('find', sql)).toThrow('not in order')
})
