import { rotate, type Series } from '../measuring/rotation.ts'
import { takeSlice } from '../measuring/slice.ts'
import { wireRequest } from '../requests/connection.ts'
import { OPERATIONS, type Operation, targetById } from '../requests/operations.ts'
import { SERVICE } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type RunningServer, startServer } from '../servers/server-process.ts'

/** Some processes of the service on one PostgreSQL, with one operation. */
export interface ProcessesMeasurement {
  readonly operation: Operation
  readonly processes: number
  readonly series: Series
}

export interface ProcessesFigures {
  readonly server: string
  readonly measurements: readonly ProcessesMeasurement[]
}

export interface ProcessesPlan {
  readonly size: number
  /** How many processes take part, ascending from 1. */
  readonly processes: readonly number[]
  readonly rounds: number
  readonly sliceMs: number
  readonly warmUpMs: number
}

/** So many that 1, 2 and 4 processes get the same number each. */
const CONNECTIONS = 48
const OPERATION_IDS = ['list', 'get', 'create']

/** Measures one process beside several on the same database, in rotation. Processes that wait for their turn are idle. */
export async function measureProcesses(plan: ProcessesPlan, log: (line: string) => void): Promise<ProcessesFigures> {
  const databases = await openDatabases('postgres', plan.size)
  const servers: RunningServer[] = []
  let added = 0
  try {
    const { url, countPets } = await databases.create('processes')
    const operations = OPERATIONS.filter(({ id }) => OPERATION_IDS.includes(id))
    const load = async (operation: Operation, some: readonly RunningServer[], durationMs: number) => {
      const requests = operation.requests(targetById(plan.size)).map(wireRequest)
      const options = { connections: CONNECTIONS, requests, durationMs, databaseCpu: databases.cpu }
      const slice = await takeSlice({ ...options, servers: some })
      added += slice.added
      return slice
    }
    log('processes: starting and warming up')
    while (servers.length < Math.max(...plan.processes)) {
      servers.push(await startServer({ program: SERVICE, databaseUrl: url }))
      for (const operation of operations) await load(operation, servers.slice(-1), plan.warmUpMs)
    }
    const heats = operations.map((operation) =>
      plan.processes.map((processes) => {
        const take = () => load(operation, servers.slice(0, processes), plan.sliceMs)
        return { operation, processes, everyRounds: 1, take }
      }),
    )
    const results = await rotate(heats, plan.rounds, (round) => log(`processes: round ${round + 1} of ${plan.rounds}`))
    const stored = (await countPets()) - plan.size
    if (stored !== added)
      throw new Error(`The service responded ${added} times that it added a pet, and stored ${stored}.`)
    const measurements = [...results].map(([{ operation, processes }, series]) => ({ operation, processes, series }))
    return { server: databases.description ?? '', measurements }
  } finally {
    for (const server of servers) await server.stop()
    await databases.close()
  }
}
