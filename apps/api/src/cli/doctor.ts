import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { apiKeyState } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
import { noApiKeys, openPersistence, persistenceAdapter } from '../persistence/open-persistence.ts'
import { listen } from '../server/run-server.ts'
import { databaseKind, maskUrl } from '../settings/database-url.ts'
import { processEnvironment } from '../settings/environment.ts'
import { misspeltVariables } from '../settings/misspelt-variables.ts'
import { InvalidSettings, readSettings } from '../settings/read-settings.ts'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../settings/version.ts'
import { examineDisk, type Finding } from './examine-disk.ts'

/** Checks everything that a start depends on, and changes nothing. Exit code 1 if something prevents a start. */
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
  yield { check: 'program', state: 'ok', message: `pet-store ${VERSION}, Node ${process.versions.node}` }
  for (const { name, meant } of misspeltVariables(processEnvironment())) {
    yield { check: 'settings', state: 'warning', message: `${name} is ignored`, remedy: `did you mean ${meant}?` }
  }
  try {
    const settings = readSettings()
    yield { check: 'settings', state: 'ok', message: 'every setting is valid', remedy: 'pet-store config shows them' }
    yield* examineSystem(settings)
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error
    for (const message of error.message.split('\n')) {
      yield { check: 'settings', state: 'error', message, remedy: 'see pet-store serve --help' }
    }
  }
}

async function* examineSystem(settings: Settings): AsyncGenerator<Finding> {
  const { host, port, metricsPort, databaseUrl, persistenceModule } = settings
  yield await examinePort(host, port, 'PORT')
  if (metricsPort !== undefined) yield await examinePort(host, metricsPort, 'METRICS_PORT')
  if (persistenceModule !== '') {
    const module = await examineModule(settings)
    yield module
    if (module.state === 'error') return
  } else if (databaseUrl === 'sqlite::memory:') {
    yield { check: 'disk', state: 'warning', message: 'pets are in memory only, and lost at the end' }
  } else if (databaseKind(databaseUrl) === 'sqlite') {
    const disk = await examineDisk(dirname(databaseUrl.slice('sqlite:'.length)))
    yield disk
    if (disk.state === 'error') return
  }
  yield* examineDatabase(settings)
}

async function examinePort(host: string, port: number, setting: string): Promise<Finding> {
  const check = 'port'
  const server = createServer()
  try {
    await listen(server, host, port, setting)
    return { check, state: 'ok', message: `${setting} ${port} is free on ${host}` }
  } catch (error) {
    const remedy = 'if this is the running service itself, all is well'
    return { check, state: 'error', message: (error as Error).message, remedy }
  } finally {
    server.close()
  }
}

async function examineModule(settings: Settings): Promise<Finding> {
  const check = 'module'
  try {
    await persistenceAdapter(settings).capabilities()
    return { check, state: 'ok', message: settings.persistenceModule }
  } catch (error) {
    const remedy = 'install the package, or correct PERSISTENCE_MODULE: a package, or a path that begins with . or /'
    return { check, state: 'error', message: (error as Error).message, remedy }
  }
}

async function* examineDatabase(settings: Settings): AsyncGenerator<Finding> {
  const url = maskUrl(settings.databaseUrl)
  const [state, remedy] = settings.migrateOnStart
    ? (['ok', 'serve does that when it starts'] as const)
    : (['error', 'run pet-store migrate'] as const)
  try {
    const { database, pending } = await persistenceAdapter(settings).migrations()
    if (database === 'missing') {
      return yield { check: 'database', state, message: `${url} does not exist and must be created`, remedy }
    }
    if (pending.length > 0) {
      return yield { check: 'migrations', state, message: `${url} lacks ${pending.join(', ')}, which must run`, remedy }
    }
    yield { check: 'migrations', state: 'ok', message: 'none is pending' }
    const persistence = await openPersistence(settings, { readOnly: true })
    try {
      await persistence.check()
      yield { check: 'database', state: 'ok', message: url }
      yield* examineKeys(persistence, settings)
    } finally {
      await persistence.close()
    }
  } catch (error) {
    const advice = 'check DATABASE_URL, the permissions of this user, and that the database is running'
    yield { check: 'database', state: 'error', message: (error as Error).message, remedy: advice }
  }
}

const CLOCK_TOLERANCE_MS = 60_000

async function* examineKeys({ apiKeys }: Required<Persistence>, settings: Settings): AsyncGenerator<Finding> {
  const keys = await apiKeys.list()
  const now = new Date()
  const active = keys.filter((key) => apiKeyState(key, now) === 'active').length + settings.staticKeys.length
  const create = apiKeys === noApiKeys ? 'put hashes into API_KEYS_SHA256' : 'pet-store keys create --name NAME'
  const isMissing = { state: 'warning', remedy: create } as const
  yield { check: 'keys', message: `${active} active`, ...(active > 0 ? { state: 'ok' } : isMissing) }
  const latest = Math.max(...keys.map(({ createdAt, lastUsedAt = createdAt }) => lastUsedAt.getTime()))
  const time = now.toISOString()
  if (latest <= now.getTime() + CLOCK_TOLERANCE_MS) return yield { check: 'clock', state: 'ok', message: time }
  const message = `a key was used at ${new Date(latest).toISOString()}, but here it is ${time}`
  const remedy = 'this clock is slow, or that of another instance is fast: synchronise both (NTP)'
  yield { check: 'clock', state: 'warning', message, remedy }
}
