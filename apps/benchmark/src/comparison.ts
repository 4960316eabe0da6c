import { startPostgresServer } from '@pet-store/testing-postgres'
import { type ColdStart, coldStart } from './cold-start.ts'
import type { Contestant, Database } from './contestant.ts'
import { wireRequest } from './conversation.ts'
import { type Databases, postgresDatabases, postgresVersion, sqliteDatabases } from './databases.ts'
import { deepCursors } from './deep-cursors.ts'
import { type Entrant, type Measurement, measure } from './measure.ts'
import { deepPlaces, type Operation } from './operations.ts'
import { type PgbenchFigures, runPgbench } from './pgbench.ts'
import type { Pinning } from './pinning.ts'
import type { Plan } from './plan.ts'
import { expectSameAnswers } from './same-answers.ts'
import type { Selection } from './selection.ts'
import { type ServerOptions, startServer } from './server-process.ts'

/** Starts of one contestant, and its memory at the highest. */
interface Footprint {
  readonly contestant: Contestant
  readonly starts: readonly ColdStart[]
  readonly peakMiB: number
}

/** Everything that was measured on one database. */
export interface Comparison {
  readonly database: Database
  /** Which server, for PostgreSQL. */
  readonly server?: string
  readonly measurements: readonly Measurement[]
  readonly footprints: readonly Footprint[]
  readonly pgbench?: PgbenchFigures
}

/** How the run goes about it. */
export interface Conditions {
  readonly plan: Plan
  readonly pinning: Pinning
  readonly say: (line: string) => void
}

/** Compares contestants on one database, each on a copy of its own. */
export async function compare(selection: Selection, conditions: Conditions): Promise<Comparison> {
  const { plan } = conditions
  if (selection.database === 'sqlite') {
    const databases = await sqliteDatabases(plan.size)
    try {
      return { database: 'sqlite', ...(await compareOn(databases, selection, conditions)) }
    } finally {
      await databases.drop()
    }
  }
  // With its defaults: it waits for the disk, as SQLite does.
  const server = await startPostgresServer()
  try {
    const databases = await postgresDatabases(server.url, plan.size)
    try {
      const figures = await compareOn(databases, selection, conditions)
      conditions.say('pgbench')
      const { url } = await databases.create('pgbench')
      const pgbench = await runPgbench(url, selection.operations, conditions)
      const description = `PostgreSQL ${await postgresVersion(server.url)}: ${server.description}`
      return { database: 'postgres', server: description, ...figures, pgbench }
    } finally {
      await databases.drop()
    }
  } finally {
    await server.stop()
  }
}

interface Prepared {
  readonly contestant: Contestant
  readonly options: ServerOptions
  readonly countPets: () => Promise<number>
}

async function compareOn(
  databases: Databases,
  selection: Selection,
  conditions: Conditions,
): Promise<Pick<Comparison, 'measurements' | 'footprints'>> {
  const prepared: Prepared[] = []
  for (const contestant of selection.contestants) {
    const { url, countPets } = await databases.create(contestant.id)
    const options = { program: contestant.program, databaseUrl: url, pinning: conditions.pinning }
    prepared.push({ contestant, countPets, options })
  }
  const starts = await startCold(prepared, conditions)
  const entrants: Entrant[] = []
  try {
    for (const entry of prepared) entrants.push(await enter(entry, selection.operations, conditions))
    const measurements = await measure(entrants, selection.operations, conditions.plan, conditions.say)
    const footprints = entrants.map(({ contestant, server }) => ({
      contestant,
      starts: starts.get(contestant) ?? [],
      peakMiB: server.memoryMiB('VmHWM'),
    }))
    await expectStored(entrants, prepared, conditions.plan.size)
    return { measurements, footprints }
  } finally {
    for (const { server } of entrants) await server.stop()
  }
}

async function startCold(
  prepared: readonly Prepared[],
  { plan, say }: Conditions,
): Promise<Map<Contestant, ColdStart[]>> {
  const starts = new Map(prepared.map(({ contestant }) => [contestant, [] as ColdStart[]]))
  for (let round = 1; round <= plan.coldStarts; round += 1) {
    say(`cold starts, round ${round} of ${plan.coldStarts}`)
    for (const { contestant, options } of prepared) starts.get(contestant)?.push(await coldStart(options))
  }
  return starts
}

/** Starts a contestant, and lets it take part once its answers are those of all others. */
async function enter(
  { contestant, options }: Prepared,
  operations: readonly Operation[],
  { plan: { size }, say }: Conditions,
): Promise<Entrant> {
  say(`comparing the answers of ${contestant.name}`)
  const server = await startServer(options)
  try {
    const { paging } = contestant
    const cursors = paging === 'cursor' ? await deepCursors(server.port, deepPlaces(size)) : new Map()
    const target = { paging, size, cursors }
    const added = await expectSameAnswers(contestant, server.port, operations, target)
    const requests = new Map(
      operations.map((operation) => [operation, operation.questions(target).map(wireRequest)] as const),
    )
    return { contestant, server, requests, added }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A contestant that says it added more than it stored has not done the work. */
async function expectStored(entrants: readonly Entrant[], prepared: readonly Prepared[], size: number): Promise<void> {
  for (const { contestant, countPets } of prepared) {
    const added = entrants.find((entrant) => entrant.contestant === contestant)?.added ?? 0
    const stored = await countPets()
    if (stored !== size + added) {
      throw new Error(`${contestant.name} answered ${added} times that it added a pet, and stored ${stored - size}.`)
    }
  }
}
