import type { RequestListener, Server } from 'node:http'
import { createPetUseCases } from '@pet-store/domain'
import type { PetAppOptions } from '@pet-store/http-express'
import type { Persistence, PersistenceOptions } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import type { Metrics } from './metrics.ts'
import type { Reports } from './reports.ts'
import type { Tracing } from './tracing.ts'

/** What operators see of the program besides its log. */
export interface Observability {
  /** What persistence reports while it is open. */
  readonly persistence: Pick<Reports, 'onBackgroundFailure'> &
    Pick<PersistenceOptions, 'onStatement'>
  /** Measures the parts of the program: the only place where they are wrapped. */
  instrument(parts: Parts): InstrumentedParts
  /** Serves the metrics once it listens; there only if the settings ask for it. */
  readonly metricsServer: Server | undefined
  /** Sends what is left and releases everything. The program must have finished its work. */
  close(): Promise<void>
}

/** The parts of the program as they were opened. */
interface Parts {
  readonly persistence: Pick<Required<Persistence>, 'pets' | 'poolUse'>
  readonly tokenCheck: PetAppOptions['tokenCheck']
  readonly readiness: PetAppOptions['readiness']
}

/** What the app is given, and what a server gives its requests to instead of to the app itself. */
interface InstrumentedParts extends Pick<PetAppOptions, 'pets' | 'tokenCheck' | 'log' | 'onQueue'> {
  readonly traced: (app: RequestListener) => RequestListener
}

/**
 * Opens the metrics and traces that the settings ask for. What they do not ask for is not even
 * loaded.
 */
export async function openObservability(
  settings: Settings,
  reports: Reports,
): Promise<Observability> {
  const metrics =
    settings.metricsPort === undefined
      ? noMetrics(reports)
      : (await import('./metrics.ts')).openMetrics(reports)
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
