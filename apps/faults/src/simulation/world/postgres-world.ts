import {
  openPostgresBulkAccess,
  openPostgresPersistence,
  readPostgresMigrations,
} from '@pet-store/persistence-postgres'
import { createRandom } from '@pet-store/testing'
import { runInVirtualTime, type WorldResult } from './run-in-virtual-time.ts'
import { SimulatedCluster } from './simulated-cluster.ts'
import { pause } from './virtual-time.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000

const PRIMARY = 'postgres://sim@primary/sim'

const REPLICA = 'postgres://sim@replica/sim'

/** Short, so that calls end soon; time is simulated, so this makes nothing faster. */
const STATEMENT_TIMEOUT_MS = 300

/** For worlds in which commits are slow, but succeed. */
const LONG_STATEMENT_TIMEOUT_MS = 3_000

/**
 * Only what says that a statement of ours is wrong may be a 500: invalid values and rows (22, 23),
 * and what the server does not support. Everything else that a server states is 503.
 */
function mayBeInternal(code: string): boolean {
  return /^(?:22(?!00H)...|23...|0A000|54000|55000|P0001)$/.test(code)
}

/** Runs the world of a seed on PostgreSQL. The same seed makes the same world. */
export async function runPostgresWorld(seed: number): Promise<WorldResult> {
  const migrations = await migrationNames()
  const world = new World(seed, mayBeInternal)
  const { random, ledger } = world
  return runInVirtualTime(world, async () => {
    const isReordered = random.next() < 0.15
    const onFailure = (error: Error) => ledger.violate(error.message)
    const cluster = new SimulatedCluster(random, isReordered, onFailure)
    cluster.start(migrations)
    const hasReplica = isReordered || random.next() < 0.2
    const options = {
      url: PRIMARY,
      poolSize: random.pick([1, 2, 3, 4, 6, 10]),
      pooler: random.next() < 0.85 ? 'none' : 'transaction-unprepared',
      statementTimeoutMs: isReordered ? LONG_STATEMENT_TIMEOUT_MS : STATEMENT_TIMEOUT_MS,
      ...(hasReplica && { replicaUrls: [REPLICA] }),
    } as const
    const skews = [0, 0, 0, 5_000, 25 * HOUR_MS, -25 * HOUR_MS]
    const instances = isReordered ? 2 : random.pick([1, 1, 2])
    // Replicas serve lists some seconds after the start.
    if (hasReplica) world.pace = isReordered ? 5 : 20
    if (isReordered) world.steps = 20
    ledger.note(`${instances} instances: ${JSON.stringify(options)}, ${cluster}`)
    for (let index = 0; index < instances; index += 1) {
      const persistence = await openPostgresPersistence(options)
      world.addInstance(persistence, index === 0 ? 0 : random.pick(skews))
    }
    const bulkTimeoutMs = options.statementTimeoutMs
    world.addImporter(await openPostgresBulkAccess({ ...options, bulkTimeoutMs }))
    await world.run(cluster)
    await world.close()
    ledger.compare(cluster.storedPets())
    const left = cluster.left
    if (left !== undefined) ledger.violate(left)
  })
}

let knownMigrations: readonly string[] | undefined

/** The names of the adapter's migrations, read once from an empty database in its own world. */
async function migrationNames(): Promise<readonly string[]> {
  if (knownMigrations !== undefined) return knownMigrations
  const world = new World(0, mayBeInternal)
  let names: readonly string[] = []
  const { violations } = await runInVirtualTime(world, async () => {
    const cluster = new SimulatedCluster(createRandom(0), false, (error) => {
      throw error
    })
    cluster.start([])
    names = (await readPostgresMigrations({ url: PRIMARY })).pending
    await pause(20_000)
  })
  if (violations.length > 0) throw new Error(violations.join('\n'))
  knownMigrations = names
  return names
}
