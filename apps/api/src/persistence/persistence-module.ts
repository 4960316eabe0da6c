import { loadPersistenceModule } from '@pet-store/persistence/module'
import type { PersistenceAdapter } from './persistence-adapter.ts'

/** How long migrating may take: as long as the data needs, but a promise that never settles must not hang a deployment. */
const MIGRATION_TIMEOUT_MS = 3_600_000

/**
 * A third-party adapter. It migrates its database by itself, so migrating means opening it with the permission to do so.
 * Rejects if there are replicas that it cannot use.
 */
export function persistenceModule(name: string, url: string, replicaUrls: readonly string[]): PersistenceAdapter {
  const load = async () => {
    const module = await loadPersistenceModule(name)
    if (replicaUrls.length === 0 || module.capabilities?.replicas) return module
    throw new Error(
      `DATABASE_REPLICA_URLS must be empty: the persistence module ${JSON.stringify(name)} declares no replicas.`,
    )
  }
  const options = { url, ...(replicaUrls.length > 0 && { replicaUrls }) }
  return {
    capabilities: async () => (await load()).capabilities,
    open: async (mode) => (await load()).open({ ...options, ...mode }),
    async migrate() {
      const { open } = await load()
      await (await open({ url, migrate: true }, MIGRATION_TIMEOUT_MS)).close()
      return []
    },
    openBulkAccess: async (mode) => (await load()).openBulkAccess?.({ url, ...mode }),
    async migrations() {
      // What is missing or outdated rejects with the adapter's own sentence.
      const { open } = await load()
      await (await open({ url, create: false, readOnly: true })).close()
      return { database: 'migrated', pending: [], newer: [] }
    },
  }
}
