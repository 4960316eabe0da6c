import type { Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGroupedReads } from './grouped-reads.ts'
import { GroupedWrites } from './grouped-writes.ts'
import { createSqliteStatementRunner } from './statement-runner.ts'

type Row = readonly [n: bigint]
const FIND: Statement<readonly [n: bigint], Row> = { name: 'find', sql: 'select n from number where n = ?' }
const LIST: Statement<readonly [limit: number], Row> = { name: 'list', sql: 'select n from number order by n limit ?' }
const ADD: Statement<readonly [n: bigint], Row> = {
  name: 'add',
  sql: 'insert into number values (?) on conflict do nothing returning n',
}

describe('SQLite statement runner', () => {
  let database: Database.Database
  let runner: StatementRunner

  beforeEach(() => {
    database = new Database(':memory:')
    database.exec('create table number (n integer not null unique) strict')
    runner = createSqliteStatementRunner(database, new GroupedWrites(database), createGroupedReads(database))
  })
  afterEach(() => database.close())

  it('returns the row of a write, or none', async () => {
    const add = runner.writeOptional(ADD)
    expect(await add([2n ** 63n - 1n])).toEqual([2n ** 63n - 1n])
    expect(await add([2n ** 63n - 1n])).toBeUndefined()
  })

  it('reads one row or none, and every integer as a bigint', async () => {
    for (const n of [1n, -(2n ** 63n), 2n ** 53n + 1n]) await runner.writeOptional(ADD)([n])
    const list = runner.readAll(LIST, ([n]) => n)
    expect([await list([3]), await list([1])]).toEqual([[-(2n ** 63n), 1n, 2n ** 53n + 1n], [-(2n ** 63n)]])
    const find = runner.readOne(FIND, ([n]) => n + 1n)
    expect([await find([1n]), await find([2n])]).toEqual([2n, undefined])
  })

  it('rejects instead of throwing after the database was closed', async () => {
    const calls = [runner.readOne(FIND, ([n]) => n), runner.writeOptional(ADD)]
    database.close()
    for (const call of calls) await expect(call([1n])).rejects.toThrow('not open')
  })
})
