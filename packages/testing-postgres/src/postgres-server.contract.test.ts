import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDatabase } from './database.ts'
import { EmbeddedServer } from './embedded-server.ts'
import { startReplicatedServer } from './replicated-server.ts'
import { runSql } from './run-sql.ts'

describe('An embedded server', () => {
  it('serves databases that do not meet, and leaves neither process nor files behind', async () => {
    const server = await EmbeddedServer.create()
    await server.start()
    const [one, other] = [await createDatabase(server.url), await createDatabase(server.url)]
    await runSql(one.url, 'create table pet (name text)')
    expect(await runSql(other.url, "select to_regclass('pet') as found")).toEqual([{ found: null }])

    await one.drop()
    await expect(runSql(one.url, 'select 1')).rejects.toThrow('does not exist')
    await server.stop()
    await expect(runSql(other.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
    await server.remove()
    expect(existsSync(dirname(server.dataFolder))).toBe(false)
  })

  it('has what was committed after an immediate stop', async () => {
    const server = await EmbeddedServer.create()
    await server.start()
    await runSql(server.url, "create table pet as select 'Rex' as name")
    await server.stop('immediate')
    await server.start()
    expect(await runSql(server.url, 'select name from pet')).toEqual([{ name: 'Rex' }])
    await server.stop()
    await server.remove()
  })

  it('takes another port when somebody else has taken its own', async () => {
    const server = await EmbeddedServer.create()
    const { port } = server
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    await server.start()
    expect(server.port).not.toBe(port)
    expect(await runSql(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    await server.remove()
    other.close()
  })

  it('says why it does not start', async () => {
    const server = await EmbeddedServer.create()
    await expect(server.start(['-c', 'port=none'])).rejects.toThrow(/PostgreSQL does not start:\n.*port/s)
    await server.remove()
    expect(existsSync(dirname(server.dataFolder))).toBe(false)
  })
})

describe('A replicated server', () => {
  it('shows on the standby what the primary commits, and nothing new while it is paused', async () => {
    const server = await startReplicatedServer()
    console.log(`Replication: ${server.description}`)
    const { primary, standby } = server
    await runSql(primary.url, "create table pet as select 'Rex' as name")
    await server.catchUp()
    expect(await runSql(standby.url, 'select name, pg_is_in_recovery() as follows from pet')).toEqual([
      { name: 'Rex', follows: true },
    ])

    await server.pause()
    await runSql(primary.url, "update pet set name = 'Mia'")
    expect(await runSql(standby.url, 'select name from pet')).toEqual([{ name: 'Rex' }])
    await server.resume()
    await server.catchUp()
    expect(await runSql(standby.url, 'select name from pet')).toEqual([{ name: 'Mia' }])
    await expect(runSql(standby.url, "update pet set name = 'Ben'")).rejects.toThrow('read-only')

    await standby.stop()
    await runSql(primary.url, "update pet set name = 'Ben'")
    await standby.start()
    await server.catchUp()
    expect(await runSql(standby.url, 'select name from pet')).toEqual([{ name: 'Ben' }])
    await server.stop()
    expect(existsSync(primary.dataFolder) || existsSync(standby.dataFolder)).toBe(false)
  })
})
