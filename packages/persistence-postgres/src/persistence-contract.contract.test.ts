import { type PersistenceHarness, persistenceContract } from '@pet-store/persistence-testing'
import { createDatabase, EmbeddedServer } from '@pet-store/testing-postgres'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openPostgresDatabase } from './database.ts'
import { openPostgresPersistence } from './open-persistence.ts'
import { createPostgresOrm } from './orm.ts'

// A server of its own, because the contract stops it.
let server: EmbeddedServer
beforeAll(async () => {
  server = await EmbeddedServer.create()
  await server.start()
})
afterAll(async () => {
  await server.stop()
  await server.remove()
})

const emptyPlace = async () => (await createDatabase(server.url)).url

const harness: PersistenceHarness = {
  open: openPostgresPersistence,
  emptyPlace,
  async outdatedPlace() {
    const url = await emptyPlace()
    const database = await openPostgresDatabase({ url, poolSize: 1 })
    await createPostgresOrm(database).migrator.up({ to: '0001-create-pets' })
    await database.pool.end()
    return url
  },
  isShared: true,
  module: new URL('index.ts', import.meta.url).href,
  exportName: 'openPostgresPersistence',
  nodeOptions: ['--conditions=@pet-store/source'],
  async interrupt() {
    await server.stop('immediate')
    return { end: () => server.start() }
  },
}

describe('PostgreSQL as a whole', () => {
  for (const { name, timeLimitMs, run } of persistenceContract(harness)) {
    it(name, { timeout: timeLimitMs + 1000 }, async ({ skip }) => {
      const notShown = await run()
      skip(notShown !== undefined, notShown)
    })
  }
})
