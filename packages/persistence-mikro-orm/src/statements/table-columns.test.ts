import { MikroORM, NodeSqliteDialect, SqliteDriver } from '@mikro-orm/sql'
import { expect, it } from 'vitest'
import { IdempotencyKeyRecord, PetRecord } from '../entities/records.ts'
import { columnsOf } from './table-columns.ts'

// Naming needs a dialect and connects to nothing.
const { em } = new MikroORM({
  driver: SqliteDriver,
  driverOptions: new NodeSqliteDialect(':memory:'),
  dbName: ':memory:',
  entities: [PetRecord, IdempotencyKeyRecord],
})

it('Names come from the entities, and a property that is not there is an error', () => {
  const names = columnsOf(em, IdempotencyKeyRecord, ['owner', 'at'])
  expect(names).toMatchObject({ table: 'idempotency_key', column: { owner: 'owner', at: 'created_at' } })
  expect(() => columnsOf(em, PetRecord, ['colour'])).toThrow('pet has no property colour')
})
