import type { Server } from 'node:http'
import { createMetricsApp, createPetServer } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import type { Instrumentation } from './instrumentation.ts'
import { NO_REPORTS, type Reports } from './reports.ts'

/** What operators see of the program besides its log. */
export interface Observability extends Instrumentation {
  /** Serves the metrics once it listens; there only if the settings ask for it. */
  readonly metricsServer: Server | undefined
  /** Sends what is left and releases everything. The program must have finished its work. */
  close(): Promise<void>
}

/** Opens the metrics and traces that the settings ask for. What they do not ask for is not even loaded. */
export async function openObservability(
  settings: Settings,
  reports: Reports,
  poolUse: Required<Persistence>['poolUse'],
): Promise<Observability> {
  const metrics = settings.metricsPort === undefined ? DISABLED : await openMetrics(reports, poolUse)
  const traces = settings.otlpEndpoint === '' ? DISABLED : await openTraces(settings, reports)
  return {
    persistence: (reports) => traces.persistence(metrics.persistence(reports)),
    repository: metrics.repository,
    app: (options) => traces.app(metrics.app(options)),
    listener: traces.listener,
    metricsServer: metrics.metricsServer,
    async close() {
      await metrics.close()
      await traces.close()
    },
  }
}

const DISABLED: Observability = {
  persistence: (reports) => reports,
  repository: (pets) => pets,
  app: (options) => options,
  listener: (app) => app,
  metricsServer: undefined,
  close: async () => {},
}

async function openMetrics(
  { log, droppedLogLines }: Reports,
  poolUse: Required<Persistence>['poolUse'],
): Promise<Observability> {
  const { createMetrics } = await import('./metrics.ts')
  const { instrumentation, ...text } = createMetrics({ poolUse, droppedLogLines })
  // Scrapes are not logged.
  const errorsOnly = { ...log, request: NO_REPORTS.log.request }
  const metricsServer = createPetServer(createMetricsApp(text, errorsOnly), errorsOnly)
  return {
    ...DISABLED,
    ...instrumentation,
    metricsServer,
    async close() {
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

async function openTraces(settings: Settings, { onTraceError }: Reports): Promise<Observability> {
  const { openTracing } = await import('./tracing.ts')
  return { ...DISABLED, ...openTracing(settings, onTraceError) }
}
