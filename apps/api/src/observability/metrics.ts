import type { MetricsText } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { VERSION } from '../settings/version.ts'
import type { Instrumentation } from './instrumentation.ts'
import { countKeyChecks, countRateLimitDecisions } from './key-metrics.ts'
import { addPoolMetrics, timeOperations } from './persistence-metrics.ts'
import { countRequests } from './request-metrics.ts'

/** What is counted, and how it is read. */
export interface Metrics extends MetricsText {
  readonly instrumentation: Pick<Instrumentation, 'persistence' | 'repository' | 'app'>
}

export interface MetricsOptions {
  readonly poolUse: Required<Persistence>['poolUse']
  readonly droppedLogLines: () => number
}

/**
 * The metrics of the program. Every series whose labels are known beforehand starts with 0, so that `increase` sees the
 * first event, too.
 */
export function createMetrics({ poolUse, droppedLogLines }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'pet_store_build_info',
    help: 'The version of the program; the value is always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1)
  new Counter({
    name: 'pet_store_log_lines_dropped_total',
    help: 'Log lines dropped because standard output was full or closed.',
    registers,
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
  })
  const backgroundFailures = new Counter({
    name: 'pet_store_background_failures_total',
    help: 'Failures of work that no request waits for, such as deleting expired idempotency keys.',
    registers,
  })
  addPoolMetrics(registry, poolUse)
  const instrumentTokenCheck = countKeyChecks(registry)
  const instrumentLimiter = countRateLimitDecisions(registry)
  const instrumentLog = countRequests(registry)

  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    instrumentation: {
      persistence: (reports) => ({
        ...reports,
        onBackgroundFailure(error) {
          backgroundFailures.inc()
          reports.onBackgroundFailure?.(error)
        },
      }),
      repository: timeOperations(registry),
      app: (options) => ({
        ...options,
        ...instrumentTokenCheck(options),
        ...(options.rateLimiting && { rateLimiting: instrumentLimiter(options.rateLimiting) }),
        log: instrumentLog(options.log),
      }),
    },
  }
}
