import type { Server } from 'node:http'
import { createMetricsApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import { noObserver, type Observer } from './observer.ts'

/** What operators see of the program besides its log. */
export interface Observation {
  readonly observer: Observer
  /** Gives the metrics once it listens; there only where they were asked for. */
  readonly metricsServer: Server | undefined
  /** Lets go of everything. The program must have done its last work. */
  finish(): Promise<void>
}

/** Turns on what the settings ask for. What they do not ask for is not even loaded. */
export async function openObservation(
  settings: Settings,
  storage: Required<Persistence>,
  log: HttpLog,
): Promise<Observation> {
  const metrics = await openMetrics(settings, storage, log)
  const traces = await openTraces(settings)
  return {
    observer: bothOf(metrics.observer, traces.observer),
    metricsServer: metrics.metricsServer,
    async finish() {
      await metrics.finish()
      await traces.finish()
    },
  }
}

const NOTHING: Observation = { observer: noObserver, metricsServer: undefined, finish: async () => {} }

async function openMetrics(
  { metricsPort }: Settings,
  storage: Required<Persistence>,
  log: HttpLog,
): Promise<Observation> {
  if (metricsPort === undefined) return NOTHING
  const { createMetrics } = await import('./create-metrics.ts')
  const metrics = createMetrics(storage)
  // Nobody needs a line for each time that a scraper asks.
  const faults: HttpLog = { request() {}, internalError: (error, requestId) => log.internalError(error, requestId) }
  const metricsServer = createPetServer(createMetricsApp(metrics, faults), faults)
  return {
    observer: metrics.observer,
    metricsServer,
    async finish() {
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

async function openTraces({ otlpEndpoint }: Settings): Promise<Observation> {
  if (otlpEndpoint === '') return NOTHING
  const { tracingObserver } = await import('./tracing-observer.ts')
  const { stopTracing } = await import('./tracing.ts')
  return { observer: tracingObserver, metricsServer: undefined, finish: stopTracing }
}

/** Two observers as one; the first one stands nearer to what is watched. */
function bothOf(first: Observer, second: Observer): Observer {
  if (first === noObserver) return second
  if (second === noObserver) return first
  return {
    log: (log) => second.log(first.log(log)),
    tokenCheck: (check) => second.tokenCheck(first.tokenCheck(check)),
    rateLimiter: (limiter) => second.rateLimiter(first.rateLimiter(limiter)),
    useCases: (pets) => second.useCases(first.useCases(pets)),
    repository: (pets) => second.repository(first.repository(pets)),
    missingKey() {
      first.missingKey()
      second.missingKey()
    },
  }
}
