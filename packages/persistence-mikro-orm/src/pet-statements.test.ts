import { MikroORM, NodeSqliteDialect, type SqlEntityManager, SqliteDriver } from '@mikro-orm/sql'
import { describe, expect, it } from 'vitest'
import { PetRecord } from './pet-record.ts'
import { compilePetStatements } from './pet-statements.ts'

// Compiling needs a dialect and connects to nothing.
const orm = new MikroORM({
  driver: SqliteDriver,
  driverOptions: new NodeSqliteDialect(':memory:'),
  dbName: ':memory:',
  entities: [PetRecord],
})

const SELECT = 'select "id", "name", "category_id", "status" from "pet"'

const FREE = 'update "pet" set "once_owner" = null, "once_key" = null, "once_fingerprint" = null, "once_at" = null'

describe('The hot statements', () => {
  it('name tables and columns as the database does, with a placeholder for every value', () => {
    const statements = compilePetStatements(orm.em)
    const texts = Object.fromEntries(Object.entries(statements).map(([key, { sql }]) => [key, sql]))
    expect(texts).toEqual({
      add: 'insert into "pet" ("name", "category_id", "status") values (?, ?, ?) returning "id"',
      addOnce: [
        'insert into "pet" ("name", "category_id", "status", "once_owner", "once_key", "once_fingerprint", "once_at")',
        'values (?, ?, ?, ?, ?, ?, ?)',
        'on conflict ("once_owner", "once_key") where "once_key" is not null do nothing returning "id"',
      ].join(' '),
      findOnce: `${SELECT.replace(' from', ', "once_fingerprint", "once_at" from')} where "once_owner" = ? and "once_key" = ?`,
      freeOnce: `${FREE} where "once_owner" = ? and "once_key" = ? and "once_at" <= ? returning "id"`,
      freeOldOnce: `${FREE} where "id" in (select "id" from "pet" where "once_at" <= ? order by "once_at" limit ?) returning "id"`,
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
  ])('are refused when an ORM has %s their values', (_, change) => {
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
