import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeSlice } from '../measuring/slice.ts'
import { wireRequest } from '../requests/connection.ts'
import { OPERATIONS, type Operation, targetById } from '../requests/operations.ts'
import { DATABASES, type Database, SERVICE } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { startServer } from '../servers/server-process.ts'
import { type CpuProfile, type ProfileSummary, summarise } from './profile-summary.ts'

/** Where the service spent its time under one operation on one database. */
export interface Profile {
  readonly database: Database
  readonly operation: Operation
  readonly summary: ProfileSummary
}

const PROFILED = ['list', 'get', 'create']
const SIZE = 10_000
const CONNECTIONS = 32
const WARM_UP = { durationMs: 5_000, maxRequests: 30_000 }
const MEASURED_MS = 3_000

/** Profiles the service under load, each operation in a process of its own. */
export async function profileService(log: (line: string) => void): Promise<Profile[]> {
  const profiles: Profile[] = []
  for (const database of DATABASES) {
    const databases = await openDatabases(database, SIZE)
    try {
      for (const operation of OPERATIONS.filter(({ id }) => PROFILED.includes(id))) {
        log(`${database}: ${operation.title}`)
        profiles.push({ database, operation, summary: await profile(databases, operation) })
      }
    } finally {
      await databases.close()
    }
  }
  return profiles
}

async function profile(databases: Databases, operation: Operation): Promise<ProfileSummary> {
  const { url } = await databases.create(`profile-${operation.id}`)
  const output = await mkdtemp(join(tmpdir(), 'pet-store-profile-'))
  const program = ['--cpu-prof', `--cpu-prof-dir=${output}`, ...SERVICE]
  const server = await startServer({ program, databaseUrl: url })
  let warmAt = 0
  try {
    const requests = operation.requests(targetById(SIZE)).map(wireRequest)
    const load = { servers: [server], connections: CONNECTIONS, requests }
    await takeSlice({ ...load, ...WARM_UP })
    // The profile uses the same clock.
    warmAt = Number(process.hrtime.bigint() / 1000n)
    await takeSlice({ ...load, durationMs: MEASURED_MS })
  } finally {
    await server.stop()
  }
  const [file = ''] = await readdir(output)
  const written = JSON.parse(await readFile(join(output, file), 'utf8')) as CpuProfile
  await rm(output, { recursive: true })
  return summarise(written, warmAt)
}
