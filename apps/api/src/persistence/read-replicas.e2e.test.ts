import { type RunningProgram, temporaryFolder } from '@pet-store/testing'
import { createDatabase, type ReplicatedServer, runSql, startReplicatedServer } from '@pet-store/testing-postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'
import { runStart } from '../testing/run-program.test-support.ts'

describe('DATABASE_REPLICA_URLS', () => {
  let server: ReplicatedServer
  let url: string
  let replicaUrl: string
  const running: RunningProgram[] = []

  beforeAll(async () => {
    server = await startReplicatedServer()
    console.log(`Replicas of PostgreSQL: ${server.description}`)
    url = (await createDatabase(server.primary.url)).url
    replicaUrl = Object.assign(new URL(url), { port: server.standby.port }).href
    await server.catchUp()
  })
  afterAll(async () => {
    for (const program of running) {
      program.process.kill('SIGTERM')
      await program.ended
    }
    await server.stop()
  })

  it('lets lists come from a replica, and single pets from the primary', async () => {
    const { program, address, key } = await runStart(await temporaryFolder(), {
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: replicaUrl,
    })
    running.push(program)
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const get = async (path: string) => (await fetch(`${address}${path}`, { headers })).text()
    for (const name of ['Rex', 'Mia']) {
      await fetch(`${address}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }) })
    }
    // Until the replica serves the list, one of the connections to the primary has it as its last statement.
    const lists = `select 1 from pg_stat_activity where query like '%order by id limit%'
      and datname = current_database() and pid <> pg_backend_pid()`
    await expect
      .poll(async () => {
        for (let count = 0; count < 4; count += 1) await get('/pets/1')
        await get('/pets?limit=1')
        return runSql(url, lists)
      })
      .toEqual([])
    await server.pause()
    await runSql(url, "update pet set name = 'from the primary'")

    expect(await get('/pets?limit=1')).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
    expect(await get('/pets/1')).toBe('{"id":1,"name":"from the primary","categoryId":1}')
    expect(await get('/pets?limit=2')).toContain('"id":2,"name":"from the primary"')
    await server.resume()
  })

  it('stops the start in one line without the password if a replica is unavailable', async () => {
    const { code, stderr } = await runHere('start', await temporaryFolder(), {
      DATABASE_URL: url,
      DATABASE_REPLICA_URLS: `${replicaUrl},postgres://pet:secret@127.0.0.1:1/pets`,
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Cannot open the PostgreSQL database "127\.0\.0\.1:1\/pets": [^\n]*\.\n$/)
    expect(stderr).not.toContain('secret')
  })
})
