import type { PersistenceHarness } from '@pet-store/persistence-testing'
import { createDatabase, EmbeddedServer, runSql } from '@pet-store/testing-postgres'
import { openPostgresBulkAccess } from '../bulk-access.ts'
import { openPostgresPersistence } from '../open-persistence.ts'
import { postgresCapabilities } from '../settings.ts'

const FLAGS = ['-c', 'fsync=off']
const EMPTY_TABLES = 'truncate pet, idempotency_key, api_key, request_count, pet_import restart identity'

/** For `pet-store adapter check --harness`: a database on a server of its own, because the contract stops it. */
export default async function createHarness(): Promise<PersistenceHarness> {
  const server = await EmbeddedServer.create()
  await server.start(FLAGS)
  const { url } = await createDatabase(server.url)
  let isMigrated = false
  const emptyDatabase: PersistenceHarness['emptyDatabase'] = async ({ mayHaveSchema = false } = {}) => {
    await runSql(url, mayHaveSchema && isMigrated ? EMPTY_TABLES : 'drop schema public cascade; create schema public')
    // Each of these cases opens it with migrations.
    isMigrated = mayHaveSchema
    return url
  }
  return {
    open: openPostgresPersistence,
    openBulkAccess: openPostgresBulkAccess,
    capabilities: postgresCapabilities,
    emptyDatabase,
    module: new URL('../index.ts', import.meta.url).href,
    exportName: 'openPostgresPersistence',
    nodeOptions: ['--conditions=@pet-store/source'],
    async interrupt() {
      await server.stop('immediate')
      return { end: () => server.start(FLAGS) }
    },
    async close() {
      await server.stop()
      await server.remove()
    },
  }
}
