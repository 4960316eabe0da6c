import { cpus } from 'node:os'
import { startPostgresServer } from '@pet-store/testing-postgres'
import { postgresDatabases, postgresVersion } from './databases.ts'
import { type LineUpMeasurement, measureLineUps } from './line-ups.ts'
import { coresOf, moveTo } from './pinning.ts'
import { type Placement, placements } from './placement.ts'
import type { LineUp, ProcessesPlan } from './processes-plan.ts'

export interface ProcessesFigures {
  /** Which PostgreSQL. */
  readonly server: string
  readonly measurements: readonly LineUpMeasurement[]
}

interface ProcessesOptions {
  readonly plan: ProcessesPlan
  readonly say: (line: string) => void
}

/** Measures the service on PostgreSQL with one process, and with more of them on the same database. */
export async function measureProcesses(options: ProcessesOptions): Promise<ProcessesFigures> {
  const allowed = coresOf()
  // Without taskset there is nothing to move, and nobody has been kept off a core.
  const cores = allowed.length > 0 ? allowed : cpus().map((_, core) => core)
  const [first, ...others] = allowed.length > 0 ? placements(cores) : placements(cores).slice(-1)
  if (first === undefined) throw new Error('There is no core to run on.')
  const { plan } = options
  const pinned = await measurePlacement(first, plan.lineUps, options)
  const figures = [pinned]
  // Pools of other sizes once.
  const poolSize = plan.lineUps[0]?.poolSize
  const lineUps = plan.lineUps.filter((lineUp) => lineUp.poolSize === poolSize)
  for (const placement of others) figures.push(await measurePlacement(placement, lineUps, options))
  return { server: pinned.server, measurements: figures.flatMap(({ measurements }) => measurements) }
}

async function measurePlacement(
  placement: Placement,
  lineUps: readonly LineUp[],
  { plan, say }: ProcessesOptions,
): Promise<ProcessesFigures> {
  // This process is the client; the database server that it starts runs where it does.
  moveTo((placement.otherCores.length > 0 ? placement.otherCores : placement.serviceCores).join(','))
  const server = await startPostgresServer()
  try {
    const databases = await postgresDatabases(server.url, plan.size)
    try {
      const { url, countPets } = await databases.create('processes')
      const sayHere = (line: string) => say(`${placement.title}: ${line}`)
      const { measurements, added } = await measureLineUps(url, placement, lineUps, { plan, say: sayHere })
      const stored = (await countPets()) - plan.size
      if (stored !== added) throw new Error(`${added} pets were said to be added, and ${stored} were.`)
      return { server: `PostgreSQL ${await postgresVersion(server.url)}: ${server.description}`, measurements }
    } finally {
      await databases.drop()
    }
  } finally {
    await server.stop()
  }
}
