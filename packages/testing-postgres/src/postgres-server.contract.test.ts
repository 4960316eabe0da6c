import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { runSql } from './database.ts'
import { EmbeddedServer } from './embedded-server.ts'

// That databases do not meet, that a crash loses nothing, and what a standby shows: every test that uses them.
it('an embedded server takes another port when somebody else has taken its own, and leaves no files behind', async () => {
  const server = await EmbeddedServer.create()
  const { port } = server
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  await server.start()
  expect(server.port).not.toBe(port)
  expect(await runSql(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
  await expect(runSql(server.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
  await server.remove()
  expect(existsSync(dirname(server.dataFolder))).toBe(false)
  other.close()
})

it('an embedded server says why it does not start', async () => {
  const server = await EmbeddedServer.create()
  await expect(server.start(['-c', 'port=none'])).rejects.toThrow(/PostgreSQL does not start:\n.*port/s)
  await server.remove()
})
