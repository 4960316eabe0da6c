import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeSlice } from '../measuring/slice.ts'
import { type Circumstances, circumstancesTable } from '../report/circumstances.ts'
import { type Report, table } from '../report/markdown.ts'
import { wireRequest } from '../requests/connection.ts'
import { OPERATIONS, type Operation, targetById } from '../requests/operations.ts'
import { DATABASE_NAMES, DATABASES, SERVICE } from '../servers/contestants.ts'
import { type Databases, openDatabases } from '../servers/databases.ts'
import { startServer } from '../servers/server-process.ts'
import { type CpuProfile, type Part, type ProfileSummary, summarise, withSources } from './profile-summary.ts'

/** Rows of a table: those that are among the first so many of any operation. */
const PACKAGES = 6
const FUNCTIONS = 5
const PROFILED = OPERATIONS.filter(({ id }) => ['list', 'get', 'create'].includes(id))
const SIZE = 10_000
const CONNECTIONS = 32
const WARM_UP = { durationMs: 5_000, maxRequests: 30_000 }
const MEASURED_MS = 3_000

/** Profiles the service under load, each operation in a process of its own, and reports where its time went. */
export async function profileService(facts: Circumstances, log: (line: string) => void): Promise<Report> {
  const page = [
    '# Where the service spends its time',
    'Parts of the busy time of the process under load, in per cent, after warming up; each function without those that it calls. Native code counts for the package that calls it. `(program)` is the system and the runtime, below any function.',
    circumstancesTable(facts),
  ]
  for (const database of DATABASES) {
    const databases = await openDatabases(database, SIZE)
    try {
      const summaries: ProfileSummary[] = []
      for (const operation of PROFILED) {
        log(`${database}: ${operation.title}`)
        summaries.push(await profile(databases, operation))
      }
      page.push(
        `## ${DATABASE_NAMES[database]}`,
        partsTable(
          'package',
          summaries.map(({ packages }) => packages),
          PACKAGES,
        ),
        partsTable(
          'function',
          summaries.map(({ functions }) => functions),
          FUNCTIONS,
        ),
      )
    } finally {
      await databases.close()
    }
  }
  return { 'profile.md': `${page.join('\n\n')}\n` }
}

function partsTable(head: string, columns: readonly (readonly Part[])[], most: number): string {
  const names = new Set(columns.flatMap((parts) => parts.slice(0, most).map(({ name }) => name)))
  const partIn = (parts: readonly Part[], name: string) => parts.find((part) => part.name === name)?.part ?? 0
  const rows = [...names].map((name) => [name, ...columns.map((parts) => (partIn(parts, name) * 100).toFixed(1))])
  return table([head, ...PROFILED.map(({ title }) => title)], rows)
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
  return summarise(withSources(written), warmAt)
}
