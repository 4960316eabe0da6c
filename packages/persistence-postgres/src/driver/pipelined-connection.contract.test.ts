import { runSql } from '@pet-store/testing-postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { poolConfig } from '../settings.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { PipelinedConnection } from './pipelined-connection.ts'

const database = useDatabase()
let connection: PipelinedConnection

beforeEach(() => {
  connection = new PipelinedConnection(poolConfig({ url: database.url, statementTimeout: 2_000 }))
  onTestFinished(() => connection.close())
})

const number = async (value: number) =>
  (await connection.query({ name: 'number', text: 'select $1::int as n', values: [value] })).rows[0]?.n

describe('A pipelined connection', () => {
  it('gives each of many statements its own answer, over one connection that prepares once', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index)
    expect(await Promise.all(numbers.map(number))).toEqual(numbers)
    const { rows } = await connection.query({
      text: "select name, (select count(*)::int from pg_stat_activity where application_name = 'pet-store' and datname = current_database()) as connections from pg_prepared_statements",
    })
    expect(rows).toEqual([{ name: 'number', connections: 1 }])
  })

  it('lets a statement that fails fail alone', async () => {
    const answers = await Promise.allSettled([number(1), connection.query({ text: 'select 1 / 0' }), number(3)])
    expect(answers).toMatchObject([{ value: 1 }, { reason: { code: '22012' } }, { value: 3 }])
  })

  it('rejects what is under way when it is lost, and is opened again by the next statement', async () => {
    await number(1)
    const slow = connection.query({ text: 'select pg_sleep(10)' })
    expect(connection.isBusy).toBe(true)
    const end = "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'"
    await Promise.all([expect(slow).rejects.toThrow('terminating connection'), runSql(database.url, end)])
    await expect.poll(() => connection.isOpen).toBe(false)
    expect(await number(2)).toBe(2)
  })

  it('answers what was begun before it closes, and nothing afterwards', async () => {
    const begun = [number(1), number(2)]
    await connection.close()
    expect(await Promise.all(begun)).toEqual([1, 2])
    await expect(number(3)).rejects.toThrow('after calling end')
    expect(connection.isOpen).toBe(false)
  })

  it('says why it cannot be opened, to each who asks', async () => {
    const nowhere = new PipelinedConnection(poolConfig({ url: 'postgres://127.0.0.1:1/pets' }))
    const asked = [1, 2].map(() => nowhere.query({ text: 'select 1' }))
    for (const one of asked) await expect(one).rejects.toThrow('ECONNREFUSED')
  })
})
