import type { Statement, StatementRunner } from '@pet-store/persistence-mikro-orm'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GroupCommit } from './group-commit.ts'
import { createGroupRead } from './group-read.ts'
import { createSqliteStatementRunner } from './statement-runner.ts'

interface Row {
  readonly n: bigint
}
const FIND: Statement<[n: bigint], Row> = { name: 'find', sql: 'select n from number where n = ?' }
const LIST: Statement<[limit: number], Row> = { name: 'list', sql: 'select n from number order by n limit ?' }
const ADD: Statement<[n: bigint], Row> = { name: 'add', sql: 'insert into number values (?) returning n' }

describe('SQLite statement runner', () => {
  let database: Database.Database
  let runner: StatementRunner
  let commits: (() => unknown)[]

  beforeEach(() => {
    database = new Database(':memory:')
    database.exec('create table number (n integer not null) strict')
    commits = []
    const groupCommit: GroupCommit = {
      async add(write) {
        commits.push(write)
        return write()
      },
      async finish() {},
    }
    runner = createSqliteStatementRunner(database, groupCommit, createGroupRead(database))
  })
  afterEach(() => database.close())

  it('writes through the group commit and returns the row', async () => {
    expect(await runner.write(ADD)([2n ** 63n - 1n])).toEqual({ n: 2n ** 63n - 1n })
    expect(commits).toHaveLength(1)
  })

  it('rejects a write that returns no row', async () => {
    const nothing: typeof ADD = { name: 'nothing', sql: 'insert into number select 1 where ? < 0 returning n' }
    await expect(runner.write(nothing)([1n])).rejects.toThrow('nothing returned no row')
  })

  it('reads every integer as a bigint and maps every row', async () => {
    for (const n of [1n, -(2n ** 63n), 2n ** 53n + 1n]) await runner.write(ADD)([n])
    const texts = runner.readAll(LIST, ({ n }) => `${typeof n} ${n}`)
    expect(await texts([3])).toEqual(['bigint -9223372036854775808', 'bigint 1', 'bigint 9007199254740993'])
    expect(await texts([1])).toHaveLength(1)
  })

  it('reads one row or undefined', async () => {
    const find = runner.readOne(FIND, ({ n }) => n + 1n)
    expect(await find([1n])).toBeUndefined()
    await runner.write(ADD)([1n])
    expect(await find([1n])).toBe(2n)
  })

  it('rejects instead of throwing after the database was closed', async () => {
    const find = runner.readOne(FIND, ({ n }) => n)
    const list = runner.readAll(LIST, ({ n }) => n)
    database.close()
    const calls = [find([1n]), list([1])]
    for (const call of calls) await expect(call).rejects.toThrow('not open')
  })
})
