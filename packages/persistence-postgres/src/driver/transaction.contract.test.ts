import { DriverException } from '@mikro-orm/core'
import { persistenceUnavailable } from '@pet-store/domain'
import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { inWriteTransaction } from './transaction.ts'

const database = useDatabase()

/** A pool of one connection; dropping the database ends it with an error. */
function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 })
  pool.on('connect', (client) => void client.on('error', () => {}))
  onTestFinished(() => pool.end())
  return pool
}

const TIMED_OUT = new DriverException(new Error('Query read timeout'))
const NOT_STORED = { code: 'persistence_unavailable', outcome: 'not_stored' }

it.each([
  ['its own error', new Error('another'), { message: 'another' }],
  ['an outage', persistenceUnavailable({ outcome: 'not_stored' }), NOT_STORED],
  ['what the driver reports through the ORM', TIMED_OUT, NOT_STORED],
])(
  'a transaction whose work fails is rolled back, and rejects with %s',
  async (_, error, rejection) => {
    const pool = openPool()
    const failing = inWriteTransaction(pool, async (client) => {
      await client.query('create table note ()')
      throw error
    })
    await expect(failing).rejects.toMatchObject(rejection)
    const { rows } = await pool.query("select to_regclass('note') as note")
    expect(rows).toEqual([{ note: null }])
  },
)

it('a transaction that conflicts with others runs again', async () => {
  const pool = openPool()
  let attempts = 0
  const result = await inWriteTransaction(pool, async (client) => {
    attempts += 1
    if (attempts < 3)
      await client.query("do $$ begin raise exception 'no' using errcode = '40001'; end $$")
    return attempts
  })
  expect(result).toBe(3)
})

it('a connection whose rollback fails is closed, whatever the server says', async () => {
  const failure = Object.assign(new pg.DatabaseError('out of memory', 0, 'error'), {
    code: '53200',
    severity: 'ERROR',
  })
  const release = vi.fn()
  const query = async (sent: string | { readonly text: string }) => {
    if (typeof sent !== 'string' && sent.text === 'rollback') throw failure
    return { rows: [] }
  }
  const pool = { connect: async () => ({ query, release }) } as unknown as pg.Pool
  const work = async () => {
    throw new Error('another')
  }
  await expect(inWriteTransaction(pool, work)).rejects.toMatchObject(NOT_STORED)
  expect(release.mock.calls).toEqual([[true]])
})
