import { MikroORM, NodeSqliteDialect, type SqlEntityManager, SqliteDriver } from '@mikro-orm/sql'
import { describe, expect, it } from 'vitest'
import { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import { PetRecord } from '../entities/pet-record.ts'
import { compilePetStatements } from './pet-statements.ts'

// Compiling needs a dialect and connects to nothing.
const orm = new MikroORM({
  driver: SqliteDriver,
  driverOptions: new NodeSqliteDialect(':memory:'),
  dbName: ':memory:',
  entities: [PetRecord, IdempotencyKeyRecord],
})

const SELECT = 'select "id", "name", "category_id", "status" from "pet"'

describe('The hot statements', () => {
  it('name tables and columns as the database does, with a placeholder for every value', () => {
    const statements = compilePetStatements(orm.em)
    const texts = Object.fromEntries(Object.entries(statements).map(([key, { sql }]) => [key, sql]))
    expect(texts).toEqual({
      add: 'insert into "pet" ("name", "category_id", "status") values (?, ?, ?) returning "id"',
      addWithKey: [
        'with "taken" as (select "key" from "idempotency_key" where "owner" = ? and "key" = ?)',
        'insert into "pet" ("name", "category_id", "status") select ? as "name", ? as "categoryId", ? as "status"',
        'where not exists (select * from "taken") returning "id"',
      ].join(' '),
      findKey: [
        'select "known"."fingerprint", "known"."created_at", "known"."pet_id",',
        '"pet"."id", "pet"."name", "pet"."category_id", "pet"."status" from "idempotency_key" as "known"',
        'left join "pet" as "pet" on "pet"."id" = "known"."pet_id" where "known"."owner" = ? and "known"."key" = ?',
      ].join(' '),
      deleteKey: 'delete from "idempotency_key" where "owner" = ? and "key" = ? and "pet_id" = ? returning "pet_id"',
      deleteOldKeys: [
        'delete from "idempotency_key" where ("owner", "key") in (select "owner", "key" from "idempotency_key"',
        'where "created_at" <= ? order by "created_at" limit ?) returning "pet_id"',
      ].join(' '),
      find: `${SELECT} where "id" = ?`,
      list: `${SELECT} order by "id" limit ?`,
      listAfter: `${SELECT} where "id" > ? order by "id" limit ?`,
      listWithStatus: `${SELECT} where "status" = ? order by "id" limit ?`,
      listWithStatusAfter: `${SELECT} where "status" = ? and "id" > ? order by "id" limit ?`,
    })
  })

  it('have names of their own', () => {
    const names = Object.values(compilePetStatements(orm.em)).map(({ name }: { name: string }) => name)
    expect(new Set(names).size).toBe(10)
  })

  it.each([
    ['reordered', (values: unknown[]) => values.toReversed()],
    ['inlined', () => []],
    ['repeated', (values: unknown[]) => [...values, values[0]]],
  ])('are rejected when an ORM has %s their values', (_, change) => {
    expect(() => compilePetStatements(ormThatCompiles(change))).toThrow('pet_add with other values than expected')
  })
})

/** An entity manager whose compiled queries have other values, as a changed ORM might. */
function ormThatCompiles(change: (values: unknown[]) => unknown[]): SqlEntityManager {
  const changed = (query: object): object =>
    new Proxy(query, {
      get(target, method) {
        return (...values: unknown[]) => {
          const result: unknown = Reflect.apply(Reflect.get(target, method) as () => unknown, target, values)
          if (method !== 'compile') return changed(result as object)
          const { sql, parameters } = result as { sql: string; parameters: unknown[] }
          return { sql, parameters: change(parameters) }
        }
      },
    })
  // What `getKysely` gives is a chain of methods that ends in `compile`; besides it only the platform is asked for.
  const tables = changed({ getKysely: orm.em.getKysely.bind(orm.em) }) as Pick<SqlEntityManager, 'getKysely'>
  const em = { getKysely: () => tables.getKysely(), getPlatform: () => orm.em.getPlatform() }
  return em as unknown as SqlEntityManager
}
