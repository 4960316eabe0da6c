import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createPool } from '../database/database.ts'
import { poolConfig } from '../database/settings.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { createGroupedReads } from './grouped-reads.ts'
import type { ReadBatch } from './read-batch.ts'

const database = useDatabase()

/** Reads on one connection. */
function open({ url = database.url, timeoutMs = 2_000, config = {} } = {}) {
  const { query_timeout: _, ...base } = poolConfig({ url, poolSize: 1, statementTimeoutMs: 1_000 })
  const pool = createPool({ ...base, ...config })
  const { read, finish } = createGroupedReads(pool, timeoutMs)
  const close = async () => {
    await finish()
    if (!pool.ending) await pool.end()
  }
  onTestFinished(close)
  return {
    pool,
    close,
    read: (name: string | undefined, text: string, values: number[] = []) =>
      read({ ...(name && { name }), text }, values),
  }
}

let reads: ReturnType<typeof open>
beforeEach(() => {
  reads = open()
})
const select = (text: string) => reads.read(undefined, text)
const number = async (value: number) => (await reads.read('number', 'select $1::int as n', [value]))[0]?.[0]

describe('Grouped reads', () => {
  it('return each of many results to its statement, over one connection that prepares each statement once', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index)
    expect(await Promise.all(numbers.map(number))).toEqual(numbers)
    const rows = await select(
      "select name, (select count(*)::int from pg_stat_activity where application_name = 'pet-store' and datname = current_database()) as connections from pg_prepared_statements",
    )
    expect(rows).toEqual([['number', 1]])
  })

  it('reject a failing statement alone', async () => {
    const results = await Promise.allSettled([number(1), select('select 1 / 0'), number(3)])
    expect(results).toMatchObject([{ value: 1 }, { reason: { code: '22012' } }, { value: 3 }])
  })

  it('return the results of a group in which the server ended a statement', async () => {
    const results = await Promise.allSettled([number(1), select('select pg_sleep(10)'), number(3)])
    expect(results).toMatchObject([
      { value: 1 },
      { reason: { code: 'persistence_unavailable', cause: { code: '57014' } } },
      { value: 3 },
    ])
  })

  it('prepare a statement again whose group has failed', async () => {
    const failing = () => select('select 1 / 0').catch(() => undefined)
    await Promise.all([failing(), number(1), failing()])
    await Promise.all([number(2), failing()])
    expect(await Promise.all([number(3), number(4)])).toEqual([3, 4])
    const rows = await select('select name from pg_prepared_statements')
    expect(rows).toEqual([['number']])
  })

  it('send each of many failing statements twice at most', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    const all = Array.from({ length: 20 }, () => select('select 1 / 0'))
    const results = await Promise.allSettled(all)
    expect(results).toMatchObject(all.map(() => ({ reason: { code: '22012' } })))
    const sent = query.mock.calls.flatMap(([batch]) => (batch as unknown as ReadBatch).rows)
    expect(sent.length).toBeLessThanOrEqual(40)
  })

  it('run a statement once what it lacked is there', async () => {
    const late = () => reads.read('late', 'select * from late')
    await expect(late()).rejects.toMatchObject({ code: '42P01' })
    await runSql(database.url, 'create table late (id bigint)')
    expect(await Promise.all([late(), late(), late()])).toEqual([[], [], []])
    await runSql(database.url, 'drop table late')
  })

  it('are rejected when their connection is lost, and the next one opens another', async () => {
    await number(1)
    const slow = select('select pg_sleep(10)')
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'select pg_sleep%' and state = 'active' and datname = current_database()`
    await Promise.all([
      expect(slow).rejects.toMatchObject({ code: 'persistence_unavailable' }),
      expect.poll(() => runSql(database.url, end)).toHaveLength(1),
    ])
    expect(await number(2)).toBe(2)
  })

  it('have their results before the connection closes, those that had to be sent again too, and none begins afterwards', async () => {
    const settled = Promise.allSettled([number(1), select('select 1 / 0'), number(2)])
    await reads.close()
    expect(await settled).toMatchObject([{ value: 1 }, { reason: { code: '22012' } }, { value: 2 }])
    await expect(number(3)).rejects.toThrow('after calling end')
  })

  it('are each rejected with the reason why there is no connection', async () => {
    const nowhere = open({ url: 'postgres://127.0.0.1:1/pets' })
    for (const one of [1, 2].map(() => nowhere.read(undefined, 'select 1'))) {
      await expect(one).rejects.toMatchObject({ outcome: 'not_stored', cause: { code: 'ECONNREFUSED' } })
    }
  })

  it('report why a statement cannot be prepared to each that uses it', async () => {
    const all = Array.from({ length: 20 }, () => reads.read('missing', 'select 1 from missing'))
    const codes = (await Promise.allSettled(all)).map((one) => (one as PromiseRejectedResult).reason.code as unknown)
    expect(new Set(codes)).toEqual(new Set(['42P01']))
  })

  it('are rejected when the server takes too long for their group, whose connection is dropped', async () => {
    const silent = open({ timeoutMs: 200 })
    await expect(silent.read(undefined, 'select pg_sleep(0.9)')).rejects.toMatchObject({
      code: 'persistence_unavailable',
      cause: { message: expect.stringContaining('Connection terminated') as string },
    })
    expect(await silent.read(undefined, 'select 1')).toEqual([[1]])
    expect(silent.pool.totalCount).toBe(1)
  })

  it('lose nothing when their connection has reached its lifetime and is replaced', async () => {
    const short = open({ config: { maxLifetimeSeconds: 1 } })
    const pid = async () => (await short.read(undefined, 'select pg_backend_pid()'))[0]?.[0] as number
    const first = await pid()
    await expect.poll(pid, { timeout: 5_000 }).not.toBe(first)
  })
})
