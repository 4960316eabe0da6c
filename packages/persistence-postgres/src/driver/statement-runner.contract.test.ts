import type { OnStatement } from '@pet-store/persistence'
import type { Statement } from '@pet-store/persistence-mikro-orm'
import { runSql } from '@pet-store/testing-postgres'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Pooler } from '../database/settings.ts'
import { openTranslatedServer } from '../testing/failing-server.test-support.ts'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { openPostgresConnections } from './connections.ts'
import type { RunStatement } from './pool-statements.ts'
import type { StatementOptions } from './repeatable-statement.ts'
import { createPostgresStatementRunner } from './statement-runner.ts'

const database = useDatabase()
const FIND: Statement<readonly [id: bigint], readonly [id: bigint]> = {
  name: 'find',
  sql: 'select $1::bigint',
}
const SERVER = { system: 'postgresql', host: 'localhost', port: 5432, database: 'pets' }

function optionsFor(pooler: Pooler, onStatement?: OnStatement): StatementOptions {
  return { pooler, onStatement, server: SERVER }
}

it.each([
  ['none', ['find']],
  ['transaction-unprepared', []],
] as const)(
  'with the pooler %s these statements stay prepared on a connection: %j',
  async (pooler, names) => {
    const { read, close } = await openPostgresConnections({ url: database.url, poolSize: 1 })
    onTestFinished(close)
    const find = createPostgresStatementRunner(optionsFor(pooler), read).readOne(FIND, ([id]) => id)
    for (const id of [1n, 2n, 3n]) expect(await find([id])).toBe(id)
    const rows = await read(
      { text: "select name from pg_prepared_statements where name = 'find'" },
      [],
    )
    expect(rows.flat()).toEqual(names)
  },
)

it.each([
  ['on a pool', 1, 'ERROR'],
  ['pipelined', 4, 'ERROR'],
  ['on a pool', 1, 'ОШИБКА'],
  ['pipelined', 4, 'ОШИБКА'],
])(
  'when a column gets another type, only its statement is prepared again, %s (%i, %s)',
  async (_, poolSize, severity) => {
    const { url } = await openTranslatedServer(database.url, severity)
    await runSql(
      database.url,
      'drop table if exists note; create table note (text varchar(10)); ' +
        'insert into note values (1)',
    )
    const { read, close } = await openPostgresConnections({ url, poolSize })
    onTestFinished(close)
    const runner = createPostgresStatementRunner(optionsFor('none'), read)
    const note = runner.readAll({ name: 'note', sql: 'select text from note' }, ([text]) => text)
    const find = runner.readOne(FIND, ([id]) => id)
    const readAll = () => Promise.all([note([]), find([7n]), note([]), note([])])
    for (const [type, value] of [
      ['varchar(10)', '1'],
      ['bigint', 1n],
      ['text', '1'],
    ] as const) {
      await runSql(
        database.url,
        `alter table note alter column text type ${type} using text::${type}`,
      )
      for (let time = 0; time < 3; time += 1)
        expect(await readAll()).toEqual([[value], 7n, [value], [value]])
    }
  },
)

it('a statement that the server does not support is tried again, and keeps its name', async () => {
  const texts: (string | undefined)[] = []
  const run: RunStatement = async ({ name }) => {
    texts.push(name)
    throw reported('0A000')
  }
  const find = createPostgresStatementRunner(optionsFor('none'), run).readOne(FIND, ([id]) => id)
  for (let time = 0; time < 2; time += 1)
    await expect(find([1n])).rejects.toMatchObject({ code: '0A000' })
  expect(texts).toEqual(['find', undefined, 'find', undefined])
})

const reported = (code: string) =>
  Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity: 'ERROR' })

/** Runs statements that fail with these codes, one after another, and then succeed. */
function failing(codes: string[]): { readonly run: RunStatement; readonly calls: () => number } {
  let calls = 0
  return {
    async run() {
      calls += 1
      const code = codes.shift()
      if (code !== undefined) throw reported(code)
      return [[7n]]
    },
    calls: () => calls,
  }
}

const writing = (run: RunStatement, pooler: Pooler = 'none') =>
  createPostgresStatementRunner(optionsFor(pooler), run).readOne(FIND, (row) => row)([1n])

describe('A statement that conflicts with others', () => {
  it.each(['40001', '40P01'])(
    'a statement that conflicts with others is run again after %s',
    async (code) => {
      const { run, calls } = failing([code, code])
      expect(await writing(run)).toEqual([7n])
      expect(calls()).toBe(3)
    },
  )

  it('a statement that conflicts too often with others is rejected as not stored', async () => {
    const { run, calls } = failing(Array<string>(50).fill('40001'))
    await expect(writing(run)).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
    })
    expect(calls()).toBe(12)
  })
})

it('statements that wait for a connection of the pool take a bounded number of bytes', async () => {
  const { pool, write, close } = await openPostgresConnections({ url: database.url, poolSize: 1 })
  onTestFinished(close)
  const client = await pool.connect()
  // Each of two MiB in memory, and a little more.
  const text = 'x'.repeat(1024 * 1024)
  const waiting = Array.from({ length: 9 }, () => write({ text: 'select length($1)' }, [text]))
  client.release()
  const results = await Promise.allSettled(waiting)
  expect(results.slice(0, 7)).toEqual(
    Array(7).fill({ status: 'fulfilled', value: [[text.length]] }),
  )
  expect(results.slice(7)).toMatchObject(Array(2).fill({ reason: { outcome: 'not_stored' } }))
})

it.each(['26000', '42P05'])(
  'SQLSTATE %s behind a pooler names the setting that helps',
  async (code) => {
    const { run } = failing([code, code])
    await expect(writing(run, 'transaction')).rejects.toMatchObject({
      code: 'persistence_unavailable',
      outcome: 'not_stored',
      message: expect.stringContaining('(DATABASE_POOLER) to transaction-unprepared') as string,
    })
  },
)

it.each([
  ['26000', ['26000']],
  ['42P05', ['42P05']],
  ['26000 after a conflict', ['40001', '26000']],
  ['a stale plan after a conflict', ['40001', '0A000']],
  ['a conflict after 26000', ['26000', '40001']],
])('a statement runs without its name after %s', async (_, codes) => {
  const { run } = failing([...codes])
  expect(await writing(run)).toEqual([7n])
})

it('SQLSTATE 26000 where a stale plan is prepared again is unavailable', async () => {
  const { run } = failing(['0A000', '26000'])
  await expect(writing(run)).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
  })
})

it.each([
  ['its result', ['40001'], []],
  ['its error', ['23505'], [expect.objectContaining({ code: '23505' })]],
])(
  'onStatement is called before a statement runs, and gets %s after the last attempt',
  async (_, codes, args) => {
    const { run } = failing(codes)
    const events: unknown[] = []
    const onStatement: OnStatement = (statement, server) => {
      events.push([statement, server])
      return (...given) => events.push(given)
    }
    const find = createPostgresStatementRunner(optionsFor('none', onStatement), run).readOne(
      FIND,
      ([id]) => id,
    )
    const found = find([1n]).catch(() => undefined)
    expect(events).toEqual([[FIND, SERVER]])
    await found
    expect(events.slice(1)).toEqual([args])
  },
)
