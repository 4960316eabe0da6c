import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { poolConfig } from '../../database/settings.ts'
import { openProxy } from '../../testing/failing-server.test-support.ts'
import { useDatabase } from '../../testing/temporary-database.test-support.ts'
import { type PipelinedReadOptions, PipelinedReads } from './pipelined-reads.ts'
import type { ReadBatch } from './read-batch.ts'

const database = useDatabase()
let reads: PipelinedReads

beforeEach(() => {
  reads = openReads({}, 2_000)
})

/** Reads over one connection. */
function openReads(
  options: Partial<PipelinedReadOptions> = {},
  statementTimeoutMs?: number,
): PipelinedReads {
  const config = poolConfig({
    url: database.url,
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
  })
  const opened = new PipelinedReads(config, { connections: 1, ...options })
  onTestFinished(() => opened.close())
  return opened
}

const number = async (value: number) =>
  (await reads.read({ name: 'number', text: 'select $1::int as n' }, [value]))[0]?.[0]

describe('Pipelined reads', () => {
  it('pipelined reads each get their own result, over one connection, prepared once', async () => {
    const numbers = Array.from({ length: 500 }, (_, index) => index)
    expect(await Promise.all(numbers.map(number))).toEqual(numbers)
    const rows = await reads.read({
      text: `
        select name, (
          select count(*)::int from pg_stat_activity
          where application_name = 'pet-store' and datname = current_database()
        ) as connections
        from pg_prepared_statements`,
    })
    expect(rows).toEqual([['number', 1]])
  })

  it.each([
    ['select 1 / 0', { code: '22012' }],
    ['select pg_sleep(10)', { code: 'persistence_unavailable', cause: { code: '57014' } }],
  ])('a failing pipelined read is rejected alone: %s', async (text, reason) => {
    const results = await Promise.allSettled([number(1), reads.read({ text }), number(3)])
    expect(results).toMatchObject([{ value: 1 }, { reason }, { value: 3 }])
  })

  it('a pipelined statement is prepared again when its batch has failed', async () => {
    const failing = () => reads.read({ text: 'select 1 / 0' }).catch(() => undefined)
    await Promise.all([failing(), number(1), failing()])
    await Promise.all([number(2), failing()])
    expect(await Promise.all([number(3), number(4)])).toEqual([3, 4])
    const rows = await reads.read({ text: 'select name from pg_prepared_statements' })
    expect(rows).toEqual([['number']])
  })

  it('a pipelined read whose error comes at the end is rejected, and no other', async () => {
    await runSql(
      database.url,
      `create table late_check (id bigint primary key,
        next bigint references late_check deferrable initially deferred)`,
    )
    onTestFinished(async () => void (await runSql(database.url, 'drop table late_check')))
    const failing = () => reads.read({ text: 'insert into late_check values (1, 2) returning id' })
    const rejected = { status: 'rejected', reason: { code: '23503' } }
    expect(await Promise.allSettled([failing()])).toMatchObject([rejected])
    const results = await Promise.allSettled([number(1), failing(), number(2)])
    expect(results).toMatchObject([{ value: 1 }, rejected, { value: 2 }])
  })

  it('each of many failing pipelined reads is sent at most twice', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    const all = Array.from({ length: 20 }, () => reads.read({ text: 'select 1 / 0' }))
    const results = await Promise.allSettled(all)
    expect(results).toMatchObject(all.map(() => ({ reason: { code: '22012' } })))
    const sent = query.mock.calls.flatMap(([batch]) => (batch as unknown as ReadBatch).reads)
    expect(new Set(sent).size).toBe(20)
    expect(sent.length).toBeLessThanOrEqual(40)
  })

  it('a pipelined statement runs once its missing table exists', async () => {
    const late = () => reads.read({ name: 'late', text: 'select * from late' })
    const lacking = { status: 'rejected', reason: { cause: { code: '42P01' } } }
    expect(await Promise.allSettled([late(), late(), late()])).toMatchObject([
      lacking,
      lacking,
      lacking,
    ])
    await runSql(database.url, 'create table late (id bigint)')
    expect(await Promise.all([late(), late(), late()])).toEqual([[], [], []])
    await runSql(database.url, 'drop table late')
  })

  it('a lost pipelined connection rejects what runs, and the next read opens another', async () => {
    await number(1)
    const slow = reads.read({ text: 'select pg_sleep(10)' })
    await expect.poll(() => reads.use.busy).toBe(1)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'select pg_sleep%' and state = 'active' and datname = current_database()`
    await Promise.all([
      expect(slow).rejects.toMatchObject({ code: 'persistence_unavailable' }),
      expect.poll(() => runSql(database.url, end)).toHaveLength(1),
    ])
    await expect.poll(() => reads.use.open).toBe(0)
    expect(await number(2)).toBe(2)
  })

  it('pipelined reads get their results before closing, and are rejected afterwards', async () => {
    const begun = [number(1), number(2)]
    await reads.close()
    expect(await Promise.all(begun)).toEqual([1, 2])
    await expect(number(3)).rejects.toThrow('after calling end')
    expect(reads.use.open).toBe(0)
  })

  it('pipelined reads that had to be sent again get their results before closing', async () => {
    const begun = [number(1), reads.read({ text: 'select 1 / 0' }), number(2)]
    const settled = Promise.allSettled(begun)
    await reads.close()
    expect(await settled).toMatchObject([{ value: 1 }, { reason: { code: '22012' } }, { value: 2 }])
  })

  it('pipelined reads are rejected with the reason why no connection can be opened', async () => {
    const nowhere = new PipelinedReads(poolConfig({ url: 'postgres://127.0.0.1:1/pets' }), {
      connections: 1,
    })
    onTestFinished(() => nowhere.close())
    const rejected = [1, 2].map(() => nowhere.read({ text: 'select 1' }))
    for (const one of rejected) {
      await expect(one).rejects.toMatchObject({
        outcome: 'not_stored',
        cause: { code: 'ECONNREFUSED' },
      })
    }
  })

  it('a pipelined read is rejected when too many wait, and a later one works', async () => {
    const small = openReads({ maxStatements: 2 })
    const run = () => small.read({ text: 'select 1' })
    const results = await Promise.allSettled([run(), run(), run()])
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { reason: { code: 'persistence_unavailable', outcome: 'not_stored' } },
    ])
    expect(await run()).toHaveLength(1)
  })

  it('pipelined reads are rejected at their deadline, and the connection stays', async () => {
    const impatient = openReads({ maxWaitMs: 2_000 })
    const pid = () => impatient.read({ text: 'select pg_backend_pid()' })
    const before = await pid()
    const late = [impatient.read({ text: 'select pg_sleep(6)' })]
    await new Promise((resolve) => setImmediate(resolve))
    late.push(pid())
    await new Promise((resolve) => setImmediate(resolve))
    late.push(pid())
    const tooLong = {
      reason: {
        code: 'persistence_unavailable',
        message: expect.stringContaining('too long') as string,
      },
    }
    expect(await Promise.allSettled(late)).toMatchObject([tooLong, tooLong, tooLong])
    // The server has not returned them yet.
    expect(impatient.use.busy).toBe(1)
    await expect.poll(() => pid().catch(() => undefined)).toEqual(before)
  })

  it('pipelined reads do not wait for earlier ones if the server is far away', async () => {
    const proxy = await openProxy(database.url)
    proxy.set('delay')
    const far = new PipelinedReads(poolConfig({ url: proxy.url }), { connections: 1 })
    onTestFinished(() => far.close())
    // The first read shows how long a round trip takes.
    await far.read({ text: 'select 1' })
    proxy.set('stall')
    const query = vi.spyOn(pg.Client.prototype, 'query')
    const all: Promise<unknown>[] = []
    for (let turn = 0; turn < 10; turn += 1) {
      all.push(far.read({ text: 'select 1' }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // None has its result yet.
    expect(query).toHaveBeenCalledTimes(10)
    proxy.set('none')
    await Promise.all(all)
  })

  it('a pipelined connection is replaced at the end of its lifetime, losing nothing', async () => {
    const short = openReads({ maxLifetimeMs: 200 })
    const pid = async () =>
      (await short.read({ text: 'select pg_backend_pid()' }))[0]?.[0] as number
    const first = await pid()
    await expect.poll(pid).not.toBe(first)
    await expect
      .poll(() => runSql(database.url, `select 1 from pg_stat_activity where pid = ${first}`))
      .toEqual([])
  })
})
