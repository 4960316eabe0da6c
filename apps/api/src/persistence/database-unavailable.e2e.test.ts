import { type RunningProgram, temporaryFolder, waitForOutput } from '@pet-store/testing'
import { createDatabase, EmbeddedServer } from '@pet-store/testing-postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runStart } from '../testing/run-program.test-support.ts'

describe('While PostgreSQL is stopped', () => {
  let server: EmbeddedServer
  let program: RunningProgram
  let address: string
  let headers: Record<string, string>

  beforeAll(async () => {
    server = await EmbeddedServer.create()
    await server.start()
    console.log(
      `PostgreSQL that is stopped: an embedded server on port ${server.port}, even if TEST_DATABASE_URL is set`,
    )
    const { url } = await createDatabase(server.url)
    const started = await runStart(await temporaryFolder(), { DATABASE_URL: url })
    ;({ program, address } = started)
    headers = { Authorization: `Bearer ${started.key}`, 'Content-Type': 'application/json' }
  })
  afterAll(async () => {
    program.process.kill('SIGTERM')
    await program.ended
    await server.stop()
    await server.remove()
  })

  const ready = async () => (await fetch(address.replace('/v1', '/readyz'))).status
  const list = () => fetch(`${address}/pets`, { headers })

  it('requests get 503 with Retry-After, and the service recovers by itself', async () => {
    const body = '{"name":"Rex","categoryId":1}'
    expect((await fetch(`${address}/pets`, { method: 'POST', headers, body })).status).toBe(201)
    expect(await ready()).toBe(200)

    await server.stop()
    await expect.poll(ready).toBe(503)
    for (const response of [await list(), await fetch(`${address}/pets`, { method: 'POST', headers, body })]) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(await response.json()).toMatchObject({ code: 'service_unavailable', status: 503 })
    }
    expect((await fetch(address.replace('/v1', '/livez'))).status).toBe(200)

    await server.start()
    expect(await (await list()).text()).toBe('[{"id":1,"name":"Rex","categoryId":1}]')
    await expect.poll(ready).toBe(200)
    await waitForOutput(program, /"msg":"ready again"/)
    const messages = (level: number) =>
      [...program.output.stdout.matchAll(new RegExp(`"level":${level},.*"msg":"(.*)"`, 'g'))].map(
        ([, message]) => message,
      )
    expect(messages(50)).toEqual(['the database is unavailable'])
    expect(messages(40)).toEqual(['not ready', 'the database is still unavailable'])
  })
})
