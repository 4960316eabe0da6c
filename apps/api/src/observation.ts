import type { Server } from 'node:http'
import type { Storage } from '@pet-store/domain-testing'
import { createMetricsApp, createPetServer, type HttpLog } from '@pet-store/http-express'
import { noObserver, type Observer } from './observer.ts'
import type { Settings } from './settings.ts'

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
  { metricsPort }: Settings,
  storage: Required<Storage>,
  log: HttpLog,
): Promise<Observation> {
  if (metricsPort === undefined) return { observer: noObserver, metricsServer: undefined, finish: async () => {} }
  const { createMetrics } = await import('./metrics/create-metrics.ts')
  const metrics = createMetrics(storage)
  // Nobody needs a line for each time that a scraper asks.
  const faults: HttpLog = { request() {}, fault: (error, requestId) => log.fault(error, requestId) }
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
