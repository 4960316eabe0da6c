import { existsSync } from 'node:fs'
import { access, constants, open, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { apiKeyState } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
import { openPersistence } from '../persistence/open-persistence.ts'
import { persistenceAdapter } from '../persistence/persistence-adapter.ts'
import { isThisService } from '../server/is-this-service.ts'
import { type ListenOptions, listen } from '../server/listen.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { misspeltVariables } from '../settings/misspelt-variables.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'

/** The result of one check, and what to do about it. An error prevents `serve` from starting. */
interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly remedy?: string
}

/**
 * Checks everything that a start depends on, and changes nothing. Exit code 1 if something prevents
 * a start.
 */
export async function doctor({ json = false }: { json?: boolean }): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of examine()) {
    const { check, state, message, remedy } = finding
    findings.push(finding)
    if (state === 'error') process.exitCode = 1
    if (json) continue
    console.log(`${state.padEnd(7)}  ${check.padEnd(10)}  ${message}`)
    if (remedy !== undefined) console.log(`${' '.repeat(21)}-> ${remedy}`)
  }
  if (json) console.log(JSON.stringify(findings, undefined, 2))
}

async function* examine(): AsyncGenerator<Finding> {
  yield {
    check: 'program',
    state: 'ok',
    message: `pet-store ${VERSION}, Node ${process.versions.node}`,
  }
  for (const { name, meant } of misspeltVariables()) {
    yield {
      check: 'settings',
      state: 'warning',
      message: `${name} is not a setting`,
      remedy: `did you mean ${meant}?`,
    }
  }
  try {
    const settings = readSettings()
    yield {
      check: 'settings',
      state: 'ok',
      message: 'every setting is valid',
      remedy: 'pet-store config shows them',
    }
    yield* examineSystem(settings)
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error
    for (const message of error.message.split('\n')) {
      yield { check: 'settings', state: 'error', message, remedy: 'see pet-store serve --help' }
    }
  }
}

async function* examineSystem(settings: Settings): AsyncGenerator<Finding> {
  const { host, port, reusePort, metricsPort, databaseUrl, persistenceModule } = settings
  yield await examinePort({ host, port, reusePort, setting: 'PORT' })
  if (metricsPort !== undefined)
    yield await examinePort({ host, port: metricsPort, setting: 'METRICS_PORT' })
  if (persistenceModule !== '') {
    const remedy =
      'install the package, or correct PERSISTENCE_MODULE: a package, or a path that begins ' +
      'with . or /'
    const module = await attempt('module', remedy, async () => {
      await persistenceAdapter(settings)
      return persistenceModule
    })
    yield module
    if (module.state === 'error') return
  } else if (databaseUrl === 'sqlite::memory:') {
    yield {
      check: 'disk',
      state: 'warning',
      message: 'pets are stored in memory only, and lost when the program ends',
    }
  } else if (databaseKind(databaseUrl) === 'sqlite') {
    const remedy =
      'DATABASE_URL needs a file and a folder that this user may write, on a disk with 100 MB free'
    const disk = await attempt('disk', remedy, () => examineFile(settings))
    yield disk
    if (disk.state === 'error') return
  }
  yield* examineDatabase(settings)
}

/** Makes a finding of work that returns a message if all is well, or rejects with what is wrong. */
async function attempt(
  check: string,
  remedy: string,
  work: () => Promise<string>,
): Promise<Finding> {
  try {
    return { check, state: 'ok', message: await work() }
  } catch (error) {
    return { check, state: 'error', message: (error as Error).message, remedy }
  }
}

function examinePort(options: ListenOptions): Promise<Finding> {
  const { host, port, setting } = options
  return attempt('port', 'end what listens there, or choose another port', async () => {
    const server = createServer()
    try {
      await listen(server, options)
    } catch (error) {
      // In a container, for instance, doctor runs while the service is running.
      if (await isThisService(host, port)) return `${setting} ${port} is used by a pet store`
      throw error
    }
    server.close()
    return `${setting} ${port} is free on ${host}`
  })
}

/** Checks that `serve` could write the database file, which `doctor` itself only reads. */
async function examineFile(settings: Settings): Promise<string> {
  const { file = '' } = await persistenceAdapter(settings)
  if (existsSync(file)) await (await open(file, 'r+')).close()
  return examineFolder(dirname(file))
}

async function examineFolder(folder: string): Promise<string> {
  // A missing folder would be created in the folder that contains it, so that one is checked.
  if (!existsSync(folder) && folder !== dirname(folder)) return examineFolder(dirname(folder))
  if (!(await stat(folder)).isDirectory()) throw new Error(`${folder} is a file, not a folder`)
  await access(folder, constants.W_OK | constants.X_OK)
  const { bavail, bsize } = await statfs(folder)
  const megabytes = Math.floor((bavail * bsize) / 1e6)
  const message = `${megabytes.toLocaleString('en')} MB free in ${folder}`
  if (megabytes < 100) throw new Error(message)
  return message
}

async function* examineDatabase(settings: Settings): AsyncGenerator<Finding> {
  const url = maskUrl(settings.databaseUrl)
  const [state, remedy] = settings.migrateOnStart
    ? (['ok', 'serve does that when it starts'] as const)
    : (['error', 'run pet-store migrate'] as const)
  try {
    const adapter = await persistenceAdapter(settings)
    const { database, pending, newer, obstacle } = await adapter.migrations()
    if (database === 'missing') {
      if (databaseKind(settings.databaseUrl) === 'postgres')
        throw new Error(`${url} does not exist; serve creates none`)
      return yield {
        check: 'database',
        state,
        message: `${url} does not exist and must be created`,
        remedy,
      }
    }
    if (obstacle !== undefined && settings.migrateOnStart) throw new Error(`${url}: ${obstacle}`)
    if (pending.length > 0) {
      return yield {
        check: 'migrations',
        state,
        message: `${url} lacks ${pending.join(', ')}, which must run`,
        remedy,
      }
    }
    if (newer.length === 0) {
      yield { check: 'migrations', state: 'ok', message: 'none is pending' }
    } else {
      yield {
        check: 'migrations',
        state: 'warning',
        message: `${url} is newer than this program: it has ${newer.join(', ')}`,
        remedy: 'a release may run on the schema of the next one; run that release',
      }
    }
    const persistence = await openPersistence(settings, { mode: 'read' })
    try {
      // The check then includes what counting requests needs.
      if (settings.rateLimit !== undefined) persistence.createRateLimiter(settings.rateLimit)
      await persistence.check()
      yield { check: 'database', state: 'ok', message: url }
      yield* examineReplicas(persistence)
      yield* examineKeys(persistence, settings)
      yield* examineClock(persistence)
    } finally {
      await persistence.close()
    }
  } catch (error) {
    const advice =
      'check DATABASE_URL, the permissions of this user, and that the database is running'
    yield { check: 'database', state: 'error', message: (error as Error).message, remedy: advice }
  }
}

async function* examineReplicas(persistence: Required<Persistence>): AsyncGenerator<Finding> {
  const remedy =
    'lists are read from the primary meanwhile: check DATABASE_REPLICA_URLS, and that it is running'
  for (const message of await persistence.replicaProblems())
    yield { check: 'replica', state: 'warning', message, remedy }
}

const CLOCK_TOLERANCE_MS = 60_000

/**
 * Compares the clock of this machine, by which API keys expire, with that of the database, by which
 * idempotency keys expire.
 */
async function* examineClock(persistence: Required<Persistence>): AsyncGenerator<Finding> {
  const before = Date.now()
  const theirs = await persistence.readClock()
  const after = Date.now()
  const isNear =
    theirs.getTime() > before - CLOCK_TOLERANCE_MS && theirs.getTime() < after + CLOCK_TOLERANCE_MS
  if (isNear) return
  yield {
    check: 'clock',
    state: 'warning',
    message:
      `the clock of the database says ${theirs.toISOString()}, ` +
      `this one ${new Date(after).toISOString()}`,
    remedy: 'API keys expire by this clock, idempotency keys by the other: synchronise both (NTP)',
  }
}

async function* examineKeys(
  { apiKeys }: Required<Persistence>,
  { staticKeys }: Settings,
): AsyncGenerator<Finding> {
  const keys = await apiKeys.list()
  const now = new Date()
  const active = keys.filter((key) => apiKeyState(key, now) === 'active').length + staticKeys.length
  const remedy = 'run pet-store keys create --name NAME, or set API_KEYS_SHA256'
  yield {
    check: 'keys',
    message: `${active} active`,
    ...(active > 0 ? { state: 'ok' } : { state: 'warning', remedy }),
  }
  const latest = keys.reduce(
    (most, { createdAt, lastUsedAt = createdAt }) => Math.max(most, lastUsedAt.getTime()),
    0,
  )
  const time = now.toISOString()
  if (latest <= now.getTime() + CLOCK_TOLERANCE_MS)
    return yield { check: 'clock', state: 'ok', message: time }
  const message = `a key was used at ${new Date(latest).toISOString()}, but here it is ${time}`
  const advice =
    'this clock is slow, or the clock of another instance is fast: synchronise both (NTP)'
  yield { check: 'clock', state: 'warning', message, remedy: advice }
}
