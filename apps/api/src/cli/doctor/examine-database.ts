import { apiKeyState } from '@pet-store/access'
import type { Persistence } from '@pet-store/persistence'
import { openPersistence } from '../../persistence/open-persistence.ts'
import { persistenceAdapter } from '../../persistence/persistence-adapter.ts'
import { databaseKind, maskUrl } from '../../settings/database-url.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Finding } from './finding.ts'

/** Examines the database: its migrations, its replicas, the keys and the clock. */
export async function* examineDatabase(settings: Settings): AsyncGenerator<Finding> {
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
