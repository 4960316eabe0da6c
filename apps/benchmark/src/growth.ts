import { startPostgresServer } from '@pet-store/testing-postgres'
import { DATABASES, type Database, SERVICE } from './contestant.ts'
import { wireRequest } from './conversation.ts'
import { dataPage, dataPet, petsJson, RARE_STATUS } from './data-set.ts'
import { type Databases, postgresDatabases, sqliteDatabases } from './databases.ts'
import { deepCursors } from './deep-cursors.ts'
import { load } from './load.ts'
import { type Question, WALK } from './operations.ts'
import type { Pinning } from './pinning.ts'
import { startServer } from './server-process.ts'
import { quantile, type Spread, spread } from './statistics.ts'

/** How long one operation takes with so many pets, for a client that has the service for itself. */
export interface GrowthPoint {
  readonly database: Database
  readonly operation: string
  readonly size: number
  readonly p50Ms: Spread
}

export const SIZES = [1_000, 10_000, 100_000, 1_000_000]
export const GREATEST_SIZE = 10_000_000

const ROUNDS = 5
const SLICE_MS = 300
const WARM_UP = { connections: 32, milliseconds: 2_000, maxRequests: 10_000 }

export interface GrowthOptions {
  readonly sizes: readonly number[]
  readonly pinning: Pinning
  readonly say: (line: string) => void
}

/** Measures the service on databases that grow. */
export async function measureGrowth({ sizes, pinning, say }: GrowthOptions): Promise<GrowthPoint[]> {
  const points: GrowthPoint[] = []
  const postgres = await startPostgresServer()
  try {
    for (const database of DATABASES) {
      for (const size of sizes) {
        say(`${database}: ${size.toLocaleString('en')} pets`)
        const databases = await (database === 'sqlite' ? sqliteDatabases(size) : postgresDatabases(postgres.url, size))
        try {
          points.push(...(await measureSize(databases, { database, size, pinning })))
        } finally {
          await databases.drop()
        }
      }
    }
    return points
  } finally {
    await postgres.stop()
  }
}

interface SizeOptions {
  readonly database: Database
  readonly size: number
  readonly pinning: Pinning
}

async function measureSize(databases: Databases, { database, size, pinning }: SizeOptions): Promise<GrowthPoint[]> {
  const { url } = await databases.create('growth')
  const server = await startServer({ program: [...SERVICE, 'serve'], databaseUrl: url, pinning })
  try {
    const deepest = size - WALK
    const cursor = (await deepCursors(server.port, [deepest])).get(deepest) ?? ''
    const requests = Object.entries(questions(size, deepest, cursor)).map(
      ([operation, asked]) => ({ operation, requests: asked.map(wireRequest), p50s: [] as number[] }) as const,
    )
    const common = { ports: [server.port], probe: () => 0 }
    for (const { requests: asked } of requests) await load({ ...common, ...WARM_UP, requests: asked })
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { requests: asked, p50s } of requests) {
        const { latencies } = await load({ ...common, connections: 1, requests: asked, milliseconds: SLICE_MS })
        p50s.push(quantile(latencies, 0.5))
      }
    }
    return requests.map(({ operation, p50s }) => ({ database, operation, size, p50Ms: spread(p50s) }))
  } finally {
    await server.stop()
  }
}

function questions(size: number, deepest: number, cursor: string): Record<string, Question[]> {
  const list = (query: string, after: number, status?: string): Question[] => {
    const page = dataPage(size, 20, { after, ...(status !== undefined && { status }) })
    return [{ method: 'GET', path: `/v1/pets?limit=20${query}`, status: 200, answer: petsJson(page) }]
  }
  const { id: _id, ...pet } = dataPet(1, size)
  return {
    'list 20': list('', 0),
    'list 20, a frequent status': list('&status=available', 0, 'available'),
    'list 20, a rare status': list(`&status=${RARE_STATUS}`, size - WALK, RARE_STATUS),
    'the page at the end': list(`&cursor=${cursor}`, deepest),
    create: [{ method: 'POST', path: '/v1/pets', body: JSON.stringify(pet), status: 201 }],
  }
}
