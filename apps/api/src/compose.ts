import type { Server } from 'node:http'
import { createKeyCheck, type KeyCheckOptions } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { type Clock, createPetApp, createPetServer, type PetServer } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { createKeyChanges } from './observability/key-changes.ts'
import { openObservability } from './observability/open-observability.ts'
import type { Reports } from './observability/reports.ts'
import { openPersistence } from './persistence/open-persistence.ts'
import { createReadiness } from './server/readiness.ts'
import { repeat } from './server/repeat.ts'
import type { Settings } from './settings/settings.ts'

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

/** What is neither a setting nor reported. */
export interface ComposeOptions {
  /** A key that the pages fill in: only where nobody else can reach the service. */
  readonly developmentKey?: string
  readonly now?: Clock
}

const KEY_USES_INTERVAL_MS = 60_000
const KEY_CHANGES_INTERVAL_MS = 10_000

/** Builds the whole program. Nothing listens yet. */
export async function compose(settings: Settings, reports: Reports, options: ComposeOptions = {}): Promise<Program> {
  const { trustProxy, corsOrigins } = settings
  const { now = () => new Date(), developmentKey } = options
  const { onBackgroundFailure } = reports
  const observability = await openObservability(settings, reports, () => persistence.poolUse())
  const persistence = await openPersistence(settings, observability.persistence({ onBackgroundFailure }))
  const readiness = createReadiness(persistence, reports.onReadiness)
  const keyCheck = createKeyCheck(keyCheckOptions(settings, persistence, reports))
  const keyUses = repeat(keyCheck.writeUses, KEY_USES_INTERVAL_MS)
  const keyChanges = repeat(createKeyChanges(persistence.apiKeys, reports.onKeyChange, now), KEY_CHANGES_INTERVAL_MS)
  const app = observability.app({
    ...httpOptions(settings, persistence),
    pets: createPetUseCases(observability.repository(persistence.pets)),
    tokenCheck: keyCheck.check,
    readiness: readiness.check,
    log: reports.log,
    now,
    developmentKey,
  })
  const server = createPetServer(observability.listener(createPetApp(app)), app.log, { trustProxy, corsOrigins })
  async function close(): Promise<void> {
    await Promise.all([keyUses.finish(), keyChanges.finish()])
    await persistence.close()
    await observability.close()
  }
  return { server, metricsServer: observability.metricsServer, persistence, stop: readiness.stop, close }
}

function keyCheckOptions(settings: Settings, { apiKeys }: Required<Persistence>, reports: Reports): KeyCheckOptions {
  const { staticKeys, apiKeyCacheSeconds } = settings
  return { keys: apiKeys, staticKeys, onLookUpLimit: reports.onLookUpLimit, lifetimeMs: apiKeyCacheSeconds * 1000 }
}

/** What the settings say about requests. */
function httpOptions(settings: Settings, { createRateLimiter }: Required<Persistence>) {
  const { rateLimit, maxConcurrentRequests, publicUrl, corsOrigins, trustProxy } = settings
  const rateLimiting = rateLimit && { limit: rateLimit, limiter: createRateLimiter(rateLimit) }
  return { maxConcurrentRequests, publicUrl, corsOrigins, trustProxy, ...(rateLimiting && { rateLimiting }) }
}
