import type { Server } from 'node:http'
import { createKeyCheck } from '@pet-store/access'
import {
  createPetApp,
  createPetServer,
  type PetAppOptions,
  type PetServer,
} from '@pet-store/http-express'
import { pages } from '@pet-store/pages'
import type { Persistence } from '@pet-store/persistence'
import { openObservability } from './observability/open-observability.ts'
import type { Reports } from './observability/reports.ts'
import { OpenedParts } from './opened-parts.ts'
import { openPersistence } from './persistence/open-persistence.ts'
import { openBackgroundWork } from './server/background-work.ts'
import { createReadiness } from './server/readiness.ts'
import type { Settings } from './settings/settings.ts'

/** The whole program. */
export interface Program {
  /** Serves requests once it listens. */
  readonly server: PetServer
  /** Serves metrics once it listens; `undefined` if the settings turn metrics off. */
  readonly metricsServer: Server | undefined
  readonly persistence: Required<Persistence>
  /** Makes readiness report that the program is not ready, although it keeps serving. */
  stop(): void
  /** Releases everything that `compose` opened; the server must have stopped. */
  close(): Promise<void>
}

/** Options that are neither settings nor reports. */
export type ComposeOptions = Pick<PetAppOptions, 'developmentKey' | 'nowMs'>

/** Builds the whole program. Nothing listens yet. If it rejects, nothing is left open. */
export async function compose(
  settings: Settings,
  reports: Reports,
  options: ComposeOptions = {},
): Promise<Program> {
  const opened = new OpenedParts()
  try {
    return await openProgram(settings, reports, options, opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openProgram(
  settings: Settings,
  reports: Reports,
  options: ComposeOptions,
  opened: OpenedParts,
): Promise<Program> {
  const observability = opened.add(await openObservability(settings, reports))
  const persistence = opened.add(await openPersistence(settings, observability.persistence))
  const keyCheck = createKeyCheck({
    keys: persistence.apiKeys,
    staticKeys: settings.staticKeys,
    onLookUpLimit: reports.onLookUpLimit,
    lifetimeMs: settings.apiKeyCacheSeconds * 1000,
  })
  const background = { ...reports, ...observability.persistence }
  opened.add(openBackgroundWork(persistence.apiKeys, keyCheck, background))
  const readiness = createReadiness(persistence, reports.onReadiness)
  const http = httpOptions(settings, persistence)
  const parts = observability.instrument({
    persistence,
    tokenCheck: keyCheck.check,
    readiness: readiness.check,
  })
  const app = createPetApp({ ...options, ...http, ...parts, pages, readiness: readiness.check })
  return {
    server: createPetServer(parts.traced(app), parts.log, http),
    metricsServer: observability.metricsServer,
    persistence,
    stop: readiness.stop,
    close: () => opened.close(),
  }
}

/** The options of the app and its server that come from settings. */
function httpOptions(settings: Settings, { createRateLimiter }: Required<Persistence>) {
  const { rateLimit, maxConcurrentRequests, publicUrl, corsOrigins } = settings
  const { trustProxy, keepAliveTimeoutMs } = settings
  const rateLimiting = rateLimit && { limit: rateLimit, limiter: createRateLimiter(rateLimit) }
  return {
    maxConcurrentRequests,
    publicUrl,
    corsOrigins,
    trustProxy,
    keepAliveTimeoutMs,
    ...(rateLimiting && { rateLimiting }),
  }
}
