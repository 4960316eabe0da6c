import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../testing/temporary-database.test-support.ts'
import { copyOut as copyRows } from './copy.ts'

const database = useDatabase()
let client: pg.Client

beforeEach(async () => {
  client = new pg.Client({ connectionString: database.url })
  client.on('error', () => {})
  await client.connect()
})
afterEach(() => client.end())

const memory = Buffer.alloc(16 * 1024 * 1024)
const copyOut = async (from: pg.Client, query: string) => (await copyRows(from, query, memory)).text

describe('COPY out of PostgreSQL', () => {
  it('returns all rows of a query, which may be larger than a message or none', async () => {
    const rows = (count: number, size: number) =>
      copyOut(client, `select n, repeat('é', ${size}) from generate_series(1, ${count}) n`)
    expect((await rows(0, 1)).toString()).toBe('')
    expect((await rows(2, 3)).toString()).toBe('1\tééé\n2\tééé\n')
    const expected = Array.from({ length: 3_000 }, (_, index) => `${index + 1}\t${'é'.repeat(300)}\n`).join('')
    expect((await rows(3_000, 300)).toString() === expected).toBe(true)
    expect((await rows(1, 500_000)).toString() === `1\t${'é'.repeat(500_000)}\n`).toBe(true)
  })

  it('returns the whole rows that fit into the memory, and at least one', async () => {
    const rows = "select n, repeat('é', 100) from generate_series(1, 9000) n"
    const all = (await copyOut(client, rows)).toString()
    const { text, count } = await copyRows(client, rows, Buffer.alloc(100_000))
    expect([count, text.length > 99_000, text.length <= 100_000]).toEqual([488, true, true])
    expect(text.toString() === `${all.split('\n').slice(0, count).join('\n')}\n`).toBe(true)
    const { text: long, count: one } = await copyRows(
      client,
      "select repeat('é', 90000) from generate_series(1, 3)",
      Buffer.alloc(9),
    )
    expect([one, long.length]).toEqual([1, 180_001])
    expect((await copyOut(client, 'select 7')).toString()).toBe('7\n')
  })

  it('rejects with an error of the server in the middle of the rows, and leaves the connection usable', async () => {
    const failing = copyOut(client, 'select 1 / (5000 - n) from generate_series(1, 9000) n')
    await expect(failing).rejects.toMatchObject({ code: '22012' })
    expect((await copyOut(client, 'select 7')).toString()).toBe('7\n')
    expect((await client.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('rejects when the connection is lost in the middle of the rows', async () => {
    const lost = copyOut(
      client,
      'select case when n = 5000 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 9000000) n',
    )
    await expect(lost).rejects.toThrow(/terminating connection|Connection terminated/)
    await expect(copyOut(client, 'select 1')).rejects.toThrow()
  })
})
