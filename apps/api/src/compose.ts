import type { Server } from 'node:http'
import { createKeyCheck, type StaticKey } from '@pet-store/access'
import { createPetUseCases } from '@pet-store/domain'
import { type Clock, createPetApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { openObservation } from './observability/observation.ts'
import { openPersistence } from './persistence/open-persistence.ts'
import { every } from './server/every.ts'
import { createReadiness, type ReadinessListener } from './server/readiness.ts'
import type { Settings } from './settings/settings.ts'

/** What the program is made of, besides its own parts. */
export interface Parts {
  readonly settings: Settings
  /** Good API keys besides those that the storage knows. */
  readonly staticKeys: readonly StaticKey[]
  readonly log: HttpLog
  readonly onReadiness?: ReadinessListener
  /** Called when a client address has used up its look-ups of API keys. */
  readonly onLookUpLimit?: (address: string) => void
  readonly now?: Clock
  /** Only where nobody else can reach the service. */
  readonly developmentKey?: string
}

/** The whole program. */
export interface Program {
  /** Answers requests once it listens. */
  readonly server: Server
  /** Tells operators what the program does, once it listens; there only where that was asked for. */
  readonly metricsServer: Server | undefined
  readonly storage: Required<Persistence>
  /** From now on it is not ready, although it goes on answering. */
  stop(): void
  /** Lets go of everything that `compose` opened; the server must have stopped. */
  close(): Promise<void>
}

const KEY_USES_INTERVAL_MS = 60_000

/** Builds the whole program. Nothing listens yet. */
export async function compose({
  settings,
  staticKeys,
  log,
  onReadiness = () => {},
  onLookUpLimit = () => {},
  now = () => new Date(),
  developmentKey,
}: Parts): Promise<Program> {
  const storage = await openPersistence(settings)
  const keyCheck = createKeyCheck({
    keys: storage.apiKeys,
    staticKeys,
    onLookUpLimit,
    lifetimeMs: settings.apiKeyCacheSeconds * 1000,
  })
  const keyUses = every(KEY_USES_INTERVAL_MS, keyCheck.writeUses)
  const { rateLimit: limit } = settings
  const { observer, metricsServer, finish } = await openObservation(settings, storage, log)
  const observedLog = observer.log(log)
  const readiness = createReadiness(storage, onReadiness)
  const app = createPetApp({
    pets: observer.useCases(createPetUseCases(observer.repository(storage.pets))),
    tokenCheck: observer.tokenCheck(keyCheck.check),
    onMissingKey: observer.missingKey,
    ...(limit && { rateLimiting: { limit, limiter: observer.rateLimiter(storage.createRateLimiter(limit)) } }),
    log: observedLog,
    now,
    readiness: readiness.check,
    developmentKey,
    publicUrl: settings.publicUrl,
    corsOrigins: settings.corsOrigins,
    trustProxy: settings.trustProxy,
  })
  const server = createPetServer(app, observedLog)
  return {
    server,
    metricsServer,
    storage,
    stop: readiness.stop,
    async close() {
      await keyUses.finish()
      await storage.close()
      await finish()
    },
  }
}
