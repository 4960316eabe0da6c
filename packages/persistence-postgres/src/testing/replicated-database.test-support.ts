import type { Pet } from '@pet-store/domain'
import {
  createDatabase,
  type ReplicatedServer,
  runSql,
  startReplicatedServer,
} from '@pet-store/testing-postgres'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import type { PostgresOptions } from '../database/settings.ts'
import { migratePostgres } from '../migrations.ts'
import { openPostgresPersistence, type PostgresPersistence } from '../open-persistence.ts'

/** A migrated database on a server with a standby. */
export interface ReplicatedDatabase {
  readonly server: ReplicatedServer
  readonly url: string
  readonly replicaUrl: string
}

/**
 * A replicated database for the tests of a file, empty before each of them. Its members are set
 * while tests run.
 */
export function useReplicatedDatabase(): ReplicatedDatabase {
  const database = {} as { -readonly [Name in keyof ReplicatedDatabase]: ReplicatedDatabase[Name] }
  beforeAll(async () => {
    const server = await startReplicatedServer()
    const { url } = await createDatabase(server.primary.url)
    const replicaUrl = Object.assign(new URL(url), { port: server.standby.port }).href
    Object.assign(database, { server, url, replicaUrl })
    console.log(`Replicas of PostgreSQL: ${server.description}`)
    await migratePostgres({ url })
    await server.catchUp()
  })
  afterAll(() => database.server.stop())

  beforeEach(async () => {
    // Ids go on: an open adapter knows up to which one a replica has all pets.
    await runSql(database.url, 'truncate pet, idempotency_key')
    await database.server.catchUp()
  })
  return database
}

/** Opens an adapter with the replica; it is closed at the end of the test. */
export async function openWithReplica(
  { url, replicaUrl }: ReplicatedDatabase,
  more: Partial<PostgresOptions> = {},
): Promise<PostgresPersistence> {
  const opened = await openPostgresPersistence({ url, replicaUrls: [replicaUrl], ...more })
  onTestFinished(() => opened.close())
  return opened
}

/** Waits until the first replica of an adapter serves lists that end with this pet. */
export async function servedByReplica(
  { id }: Pet,
  persistence: PostgresPersistence,
): Promise<void> {
  await expect.poll(() => persistence.replicaWatermarks()[0] ?? 0n).toBeGreaterThanOrEqual(id)
}
