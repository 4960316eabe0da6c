import type { Server } from 'node:http'
import { createKeyCheck, type StaticKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { type Clock, createPetApp, createPetServer, type HttpLog, type PetServer } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { createKeyChanges } from './observability/key-changes.ts'
import type { Reports } from './observability/log.ts'
import { openObservability, startTraces } from './observability/open-observability.ts'
import { openPersistence } from './persistence/open-persistence.ts'
import { createReadiness } from './server/readiness.ts'
import type { Settings } from './settings/settings.ts'

/** What the program is made of, besides its own parts. All reports but the log are optional. */
export interface Parts extends Partial<Omit<Reports, 'log'>> {
  readonly log: HttpLog
  readonly settings: Settings
  /** Valid API keys in addition to those in the database. */
  readonly staticKeys: readonly StaticKey[]
  readonly now?: Clock
  /** Only where nobody else can reach the service. */
  readonly developmentKey?: string
}

/** The whole program. */
export interface Program {
  /** Serves requests once it listens. */
  readonly server: PetServer
  /** Serves metrics once it listens; there only if the settings ask for it. */
  readonly metricsServer: Server | undefined
  readonly persistence: Required<Persistence>
  /** From now on the program reports that it is not ready, although it goes on serving. */
  stop(): void
  /** Releases everything that `compose` opened; the server must have stopped. */
  close(): Promise<void>
}

const KEY_USES_INTERVAL_MS = 60_000
const KEY_CHANGES_INTERVAL_MS = 10_000

const noReport = () => {}

/** Builds the whole program. Nothing listens yet. */
export async function compose(parts: Parts): Promise<Program> {
  const { settings, log, now = () => new Date() } = parts
  const { droppedLogLines = () => 0, onReadiness = noReport, onLookUpLimit = noReport, onTraceError = noReport } = parts
  const { onKeyChange = noReport } = parts
  const { rateLimit: limit, maxConcurrentRequests, trustProxy } = settings
  await startTraces(settings)
  const persistence = await openPersistence(settings)
  const observability = await openObservability(settings, {
    persistence,
    staticKeys: parts.staticKeys,
    log,
    droppedLogLines,
    onTraceError,
  })
  const readiness = createReadiness(persistence, onReadiness)
  const keyCheck = createKeyCheck({
    keys: persistence.apiKeys,
    staticKeys: parts.staticKeys,
    onLookUpLimit,
    lifetimeMs: settings.apiKeyCacheSeconds * 1000,
  })
  const keyUses = repeat(keyCheck.writeUses, KEY_USES_INTERVAL_MS)
  const keyChanges = repeat(createKeyChanges(persistence.apiKeys, onKeyChange, now()), KEY_CHANGES_INTERVAL_MS)
  const options = observability.app({
    pets: createPetUseCases(observability.repository(persistence.pets)),
    tokenCheck: keyCheck.check,
    ...(limit && { rateLimiting: { limit, limiter: persistence.createRateLimiter(limit) } }),
    maxConcurrentRequests,
    readiness: readiness.check,
    log,
    now,
    developmentKey: parts.developmentKey,
    publicUrl: settings.publicUrl,
    corsOrigins: settings.corsOrigins,
    trustProxy,
  })
  return {
    server: createPetServer(createPetApp(options), options.log, { trustProxy, maxConcurrentRequests }),
    metricsServer: observability.metricsServer,
    persistence,
    stop: readiness.stop,
    async close() {
      await Promise.all([keyUses.finish(), keyChanges.finish()])
      await persistence.close()
      await observability.close()
    },
  }
}

/**
 * Does background work at intervals, one run at a time, without keeping the process alive. Work that fails is repeated at
 * the next interval; what made it fail shows elsewhere. `finish` runs it a last time.
 */
function repeat(work: () => Promise<void>, intervalMs: number): { finish(): Promise<void> } {
  let running = Promise.resolve()
  const run = () => {
    running = running.then(work).catch(() => {})
    return running
  }
  const timer = setInterval(() => void run(), intervalMs).unref()
  return {
    finish() {
      clearInterval(timer)
      return run()
    },
  }
}
