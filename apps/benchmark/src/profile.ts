import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgresServer } from '@pet-store/testing-postgres'
import { DATABASES, type Database, SERVICE } from './contestant.ts'
import { wireRequest } from './conversation.ts'
import { type Databases, postgresDatabases, sqliteDatabases } from './databases.ts'
import { load } from './load.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import type { Pinning } from './pinning.ts'
import { type CpuProfile, type ProfileSummary, summarise } from './profile-summary.ts'
import { startServer } from './server-process.ts'

/** Where the service spent its time under one operation on one database. */
export interface Profile {
  readonly database: Database
  readonly operation: Operation
  readonly summary: ProfileSummary
}

const PROFILED = ['list', 'get', 'create']
const SIZE = 10_000
const CONNECTIONS = 32
const WARM_UP = { milliseconds: 6_000, maxRequests: 30_000 }
const MEASURED_MS = 4_000

/** Profiles the service under load, each operation in a process of its own. */
export async function profileService(pinning: Pinning, say: (line: string) => void): Promise<Profile[]> {
  const server = await startPostgresServer()
  const databases = { sqlite: await sqliteDatabases(SIZE), postgres: await postgresDatabases(server.url, SIZE) }
  const profiles: Profile[] = []
  try {
    for (const database of DATABASES) {
      for (const operation of OPERATIONS.filter(({ id }) => PROFILED.includes(id))) {
        say(`${database}: ${operation.title}`)
        profiles.push({ database, operation, summary: await profile(databases[database], operation, pinning) })
      }
    }
    return profiles
  } finally {
    await databases.sqlite.drop()
    await server.stop()
  }
}

async function profile(databases: Databases, operation: Operation, pinning: Pinning): Promise<ProfileSummary> {
  const { url } = await databases.create(`profile-${operation.id}`)
  const output = await mkdtemp(join(tmpdir(), 'pet-store-profile-'))
  const server = await startServer({
    program: ['--cpu-prof', `--cpu-prof-dir=${output}`, ...SERVICE, 'serve'],
    databaseUrl: url,
    pinning,
  })
  let warmAt = 0
  try {
    const requests = operation.questions({ paging: 'after', size: SIZE, cursors: new Map() }).map(wireRequest)
    const common = { ports: [server.port], connections: CONNECTIONS, requests, probe: () => 0 }
    await load({ ...common, ...WARM_UP })
    // The profile's clock is the same one.
    warmAt = Number(process.hrtime.bigint() / 1000n)
    await load({ ...common, milliseconds: MEASURED_MS })
  } finally {
    await server.stop()
  }
  const [file = ''] = await readdir(output)
  const written = JSON.parse(await readFile(join(output, file), 'utf8')) as CpuProfile
  await rm(output, { recursive: true })
  return summarise(written, warmAt)
}
