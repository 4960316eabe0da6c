import { setTimeout as wait } from 'node:timers/promises'
import { figureOf, rotate } from '../measuring/rotation.ts'
import { takeSlice } from '../measuring/slice.ts'
import type { Estimate } from '../measuring/statistics.ts'
import { wireRequest } from '../requests/connection.ts'
import { ASCII_STATUS, dataPage, dataPet, newPetJson, petsJson, RARE_STATUS } from '../requests/data-set.ts'
import { lastPlace, targetByCursor } from '../requests/operations.ts'
import type { CheckedRequest } from '../requests/request.ts'
import { DATABASES, type Database, SERVICE } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type RunningServer, startServer } from '../servers/server-process.ts'

/** How long one operation takes with some number of pets, for a client that has the service to itself. */
export interface GrowthPoint {
  readonly database: Database
  readonly operation: string
  readonly size: number
  readonly p50Ms: Estimate
}

/** What the service holds with some number of pets. */
interface GrowthMemory {
  readonly database: Database
  readonly size: number
  /** Resident memory when idle after a start. */
  readonly restMiB: number
  /** At its highest, under load while it warms up too. */
  readonly peakMiB: number
}

export interface GrowthFigures {
  readonly points: readonly GrowthPoint[]
  readonly memory: readonly GrowthMemory[]
}

const REST_MS = 300
const ROUNDS = 10
const SLICE_MS = 100
const WARM_UP = { connections: 32, durationMs: 1_000, maxRequests: 10_000 }

/** Measures the service on databases of several sizes, all of them in rotation. */
export async function measureGrowth(sizes: readonly number[], log: (line: string) => void): Promise<GrowthFigures> {
  const figures: GrowthFigures[] = []
  for (const database of DATABASES) figures.push(await measureDatabase(database, sizes, log))
  return { points: figures.flatMap(({ points }) => points), memory: figures.flatMap(({ memory }) => memory) }
}

async function measureDatabase(database: Database, sizes: readonly number[], log: (line: string) => void) {
  const closings: (() => Promise<void>)[] = []
  const entrants: Awaited<ReturnType<typeof entrantsOf>> = []
  const services: { readonly size: number; readonly server: RunningServer; readonly restMiB: number }[] = []
  try {
    for (const size of sizes) {
      log(`growth, ${database}: filling and warming up with ${size.toLocaleString('en')} pets`)
      const databases = await openDatabases(database, size)
      closings.unshift(databases.close)
      const { url } = await databases.create('growth')
      const server = await startServer({ program: SERVICE, databaseUrl: url })
      closings.unshift(server.stop)
      await wait(REST_MS)
      services.push({ size, server, restMiB: server.memoryMiB('VmRSS') })
      entrants.push(...(await entrantsOf(server, size)))
    }
    const operations = [...new Set(entrants.map(({ operation }) => operation))]
    const heats = operations.map((name) => entrants.filter(({ operation }) => operation === name))
    const results = await rotate(heats, ROUNDS, (round) => log(`growth, ${database}: round ${round + 1} of ${ROUNDS}`))
    const points = [...results].map(([{ operation, size }, series]) => ({
      ...{ database, operation, size },
      p50Ms: figureOf(series, ({ p50Ms }) => p50Ms),
    }))
    const memory = services.map(({ size, server, restMiB }) => {
      return { database, size, restMiB, peakMiB: server.memoryMiB('VmHWM') }
    })
    return { points, memory }
  } finally {
    for (const close of closings) await close()
  }
}

/** One entrant for each operation, warmed up. */
async function entrantsOf(server: RunningServer, size: number) {
  const last = lastPlace(size)
  const { pageAfter } = await targetByCursor(server.port, size, [last])
  const operations: Record<string, CheckedRequest> = {
    'list 20': list(size, '', 0),
    'list 20, a frequent status': list(size, `&status=${ASCII_STATUS}`, 0, ASCII_STATUS),
    'list 20, a rare status': list(size, `&status=${RARE_STATUS}`, last, RARE_STATUS),
    'the last page': list(size, `&${pageAfter(last)}`, last),
    create: { method: 'POST', path: '/v1/pets', body: newPetJson(dataPet(1, size)), status: 201 },
  }
  const entrants = Object.entries(operations).map(([operation, request]) => {
    const load = { servers: [server], requests: [wireRequest(request)] }
    const take = () => takeSlice({ ...load, connections: 1, durationMs: SLICE_MS })
    return { operation, size, load, everyRounds: 1, take }
  })
  for (const { load } of entrants) await takeSlice({ ...load, ...WARM_UP })
  return entrants
}

function list(size: number, query: string, after: number, status?: string): CheckedRequest {
  const page = dataPage(size, 20, { after, ...(status !== undefined && { status }) })
  return { method: 'GET', path: `/v1/pets?limit=20${query}`, status: 200, responseBody: petsJson(page) }
}
