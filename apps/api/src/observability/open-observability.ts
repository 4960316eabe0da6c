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

/** Starts tracing if the settings ask for it: before the database is opened, whose driver is instrumented while it is loaded. */
export async function startTraces(settings: Settings): Promise<void> {
  if (settings.otlpEndpoint === '') return
  const { startTracing } = await import('./tracing.ts')
  startTracing(settings)
}

/** Opens the metrics and traces that the settings ask for. What they do not ask for is not even loaded. */
export async function openObservability(
  settings: Settings,
  persistence: Required<Persistence>,
  reports: Reports,
): Promise<Observability> {
  const metrics = settings.metricsPort === undefined ? DISABLED : await openMetrics(settings, persistence, reports)
  const traces = settings.otlpEndpoint === '' ? DISABLED : await openTraces(reports)
  return {
    repository: (pets) => traces.repository(metrics.repository(pets)),
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
  repository: (pets) => pets,
  app: (options) => options,
  listener: (app) => app,
  metricsServer: undefined,
  close: async () => {},
}

/** Every key with a series of its own costs memory here and in Prometheus. */
const MAX_KEY_SERIES = 1_000

async function openMetrics(
  { staticKeys }: Settings,
  persistence: Required<Persistence>,
  { log, droppedLogLines, backgroundFailures }: Reports,
): Promise<Observability> {
  const { createMetrics } = await import('./metrics.ts')
  const metrics = createMetrics({
    poolUse: () => persistence.poolUse(),
    droppedLogLines,
    backgroundFailures,
    keyIds: staticKeys.map(({ keyId }) => keyId),
    storedKeyIds: async () => (await persistence.apiKeys.list()).slice(-MAX_KEY_SERIES).map(({ id }) => id),
  })
  // Scrapes are not logged.
  const errorsOnly = { ...log, request: NO_REPORTS.log.request }
  const metricsServer = createPetServer(createMetricsApp(metrics, errorsOnly), errorsOnly)
  return {
    ...DISABLED,
    ...metrics.instrumentation,
    metricsServer,
    async close() {
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

async function openTraces({ onTraceError }: Reports): Promise<Observability> {
  const [{ reportExportErrors, spans }, { stopTracing }] = await Promise.all([
    import('./spans.ts'),
    import('./tracing.ts'),
  ])
  reportExportErrors(onTraceError)
  return { ...spans, metricsServer: undefined, close: () => stopTracing(onTraceError) }
}
