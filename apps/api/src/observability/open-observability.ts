import type { RequestListener, Server } from 'node:http'
import { createPetUseCases } from '@pet-store/domain'
import type { PetAppOptions } from '@pet-store/http-express'
import type { Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Reports } from './reports.ts'
import type { Tracing } from './tracing.ts'

/** The metrics and traces of the program. */
export interface Observability {
  /** The options with which persistence is opened, to receive its reports. */
  readonly persistence: Pick<Reports, 'onBackgroundFailure'> &
    Pick<PersistenceOptions, 'onStatement'>
  /** Wraps the parts of the program to measure them. They are wrapped nowhere else. */
  instrument(parts: Parts): InstrumentedParts
  /** Serves the metrics once it listens; `undefined` if the settings turn metrics off. */
  readonly metricsServer: Server | undefined
  /** Sends the remaining traces and releases everything. The program must have ended its work. */
  close(): Promise<void>
}

/** The parts of the program that are measured. */
interface Parts {
  readonly persistence: Pick<Required<Persistence>, 'pets' | 'poolUse'>
  readonly tokenCheck: PetAppOptions['tokenCheck']
  readonly readiness: PetAppOptions['readiness']
}

/** Options for the app. */
interface InstrumentedParts extends Pick<PetAppOptions, 'pets' | 'tokenCheck' | 'log' | 'onQueue'> {
  /** Wraps the app to trace its requests. */
  readonly traced: (app: RequestListener) => RequestListener
}

/**
 * Opens the metrics and traces that the settings turn on. The code of others is not even loaded.
 */
export async function openObservability(
  settings: Settings,
  reports: Reports,
): Promise<Observability> {
  const metrics =
    settings.metricsPort === undefined
      ? noMetrics(reports)
      : (await import('./metrics/metrics.ts')).openMetrics(reports)
  const tracing =
    settings.otlpEndpoint === ''
      ? NO_TRACING
      : (await import('./tracing.ts')).openTracing(settings, reports.onTraceError)

  return {
    persistence: {
      onBackgroundFailure: metrics.onBackgroundFailure,
      ...(tracing.onStatement && { onStatement: tracing.onStatement }),
    },
    instrument({ persistence, tokenCheck, readiness }) {
      metrics.showPools(persistence.poolUse)
      metrics.showReadiness(readiness)
      return {
        onQueue: metrics.showRequestQueue,
        log: metrics.log(reports.log),
        tokenCheck: metrics.tokenCheck(tokenCheck),
        pets: tracing.useCases(createPetUseCases(metrics.repository(persistence.pets))),
        traced: tracing.listener,
      }
    },
    metricsServer: metrics.metricsServer,
    async close() {
      await metrics.close()
      await tracing.close()
    },
  }
}

function noMetrics({ onBackgroundFailure }: Reports): Metrics {
  return {
    onBackgroundFailure,
    showPools() {},
    showReadiness() {},
    showRequestQueue() {},
    log: (log) => log,
    tokenCheck: (check) => check,
    repository: (pets) => pets,
    metricsServer: undefined,
    async close() {},
  }
}

const NO_TRACING: Tracing = {
  onStatement: undefined,
  useCases: (useCases) => useCases,
  listener: (app) => app,
  async close() {},
}
