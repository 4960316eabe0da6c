import type { Server } from 'node:http'
import { createKeyCheck } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import {
  createPetApp,
  createPetServer,
  type PetAppOptions,
  type PetServer,
} from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { openObservability } from './observability/open-observability.ts'
import type { Reports } from './observability/reports.ts'
import { openPersistence } from './persistence/open-persistence.ts'
import { startBackgroundWork } from './server/background-work.ts'
import { createReadiness } from './server/readiness.ts'
import type { Settings } from './settings/settings.ts'

/** The whole program. */
export interface Program {
  /** Serves requests once it listens. */
  readonly server: PetServer
  /** Serves metrics once it listens; there only if the settings ask for it. */
  readonly metricsServer: Server | undefined
  readonly persistence: Required<Persistence>
  /** From now on the program reports that it is not ready, although it keeps serving. */
  stop(): void
  /** Releases everything that `compose` opened; the server must have stopped. */
  close(): Promise<void>
}

/** What is neither a setting nor reported. */
export type ComposeOptions = Pick<PetAppOptions, 'developmentKey' | 'now'>

/** Builds the whole program. Nothing listens yet. */
export async function compose(
  settings: Settings,
  reports: Reports,
  options: ComposeOptions = {},
): Promise<Program> {
  const { onBackgroundFailure, onReadiness, onKeyChange, onLookUpLimit, log } = reports
  const observability = await openObservability(settings, reports, () => persistence.poolUse())
  const persistence = await openPersistence(
    settings,
    observability.persistence({ onBackgroundFailure }),
  )
  const readiness = createReadiness(persistence, onReadiness)
  const { pets, apiKeys: keys } = persistence
  const lifetimeMs = settings.apiKeyCacheSeconds * 1000
  const keyCheck = createKeyCheck({
    keys,
    staticKeys: settings.staticKeys,
    onLookUpLimit,
    lifetimeMs,
  })
  const finishBackgroundWork = startBackgroundWork(keys, keyCheck, onKeyChange)
  const http = httpOptions(settings, persistence)
  const app = observability.app({
    ...options,
    ...http,
    log,
    pets: createPetUseCases(observability.repository(pets)),
    tokenCheck: keyCheck.check,
    readiness: readiness.check,
  })
  const server = createPetServer(observability.listener(createPetApp(app)), app.log, http)
  async function close(): Promise<void> {
    await finishBackgroundWork()
    await persistence.close()
    await observability.close()
  }
  return {
    server,
    metricsServer: observability.metricsServer,
    persistence,
    stop: readiness.stop,
    close,
  }
}

/** What the settings say about requests. */
function httpOptions(settings: Settings, { createRateLimiter }: Required<Persistence>) {
  const { rateLimit, maxConcurrentRequests, publicUrl, corsOrigins, trustProxy } = settings
  const rateLimiting = rateLimit && { limit: rateLimit, limiter: createRateLimiter(rateLimit) }
  return {
    maxConcurrentRequests,
    publicUrl,
    corsOrigins,
    trustProxy,
    ...(rateLimiting && { rateLimiting }),
  }
}
