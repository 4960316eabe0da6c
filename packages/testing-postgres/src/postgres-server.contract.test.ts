import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { createDatabase } from './database.ts'
import { EmbeddedServer } from './embedded-server.ts'

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

describe('An embedded server', () => {
  it('serves databases that do not meet, and leaves neither process nor files behind', async () => {
    const server = await EmbeddedServer.create()
    await server.start()
    const [one, other] = [await createDatabase(server.url), await createDatabase(server.url)]
    await run(one.url, 'create table pet (name text)')
    expect(await run(other.url, "select to_regclass('pet') as found")).toEqual([{ found: null }])

    await one.drop()
    await expect(run(one.url, 'select 1')).rejects.toThrow('does not exist')
    await server.stop()
    await expect(run(other.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
    await server.remove()
    expect(existsSync(dirname(server.dataFolder))).toBe(false)
  })

  it('says why it does not start', async () => {
    const server = await EmbeddedServer.create()
    await expect(server.start(['-c', 'port=none'])).rejects.toThrow(/PostgreSQL does not start:\n.*port/s)
    await server.remove()
    expect(existsSync(dirname(server.dataFolder))).toBe(false)
  })
})
