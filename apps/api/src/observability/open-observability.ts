import type { Persistence } from '@pet-store/persistence'
import type { Settings } from '../settings/settings.ts'
import type { Observability } from './observability.ts'
import type { Reports } from './reports.ts'

const DISABLED: Observability = {
  persistence: (reports) => reports,
  repository: (pets) => pets,
  app: (options) => options,
  listener: (app) => app,
  metricsServer: undefined,
  close: async () => {},
}

/**
 * Opens the metrics and traces that the settings ask for. What they do not ask for is not even
 * loaded.
 */
export async function openObservability(
  settings: Settings,
  reports: Reports,
  poolUse: Required<Persistence>['poolUse'],
): Promise<Observability> {
  const metrics =
    settings.metricsPort === undefined
      ? DISABLED
      : (await import('./metrics.ts')).openMetrics(reports, poolUse)
  const traces =
    settings.otlpEndpoint === ''
      ? DISABLED
      : (await import('./tracing.ts')).openTracing(settings, reports.onTraceError)
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
