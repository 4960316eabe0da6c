import type { MetricsText } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { VERSION } from '../settings/version.ts'
import type { Instrumentation } from './instrumentation.ts'
import { countKeyChecks, countRateLimitDecisions } from './key-metrics.ts'
import { addPoolMetrics, timeOperations } from './persistence-metrics.ts'
import { countDeprecatedUses, countRequests } from './request-metrics.ts'

/** What is counted, and how it is read. */
export interface Metrics extends MetricsText {
  readonly instrumentation: Pick<Instrumentation, 'repository' | 'app'>
}

export interface MetricsOptions {
  readonly poolUse: Required<Persistence>['poolUse']
  readonly droppedLogLines: () => number
  readonly backgroundFailures: () => number
  /** The ids of API keys whose uses of deprecated operations are shown from the start. */
  readonly keyIds: readonly string[]
  /** Returns others, which are shown from the first reading on: no start should wait for the database. */
  readonly storedKeyIds: () => Promise<readonly string[]>
}

/**
 * The metrics of the program. Every series that can be known beforehand starts with 0, so that `increase` sees the first
 * event, too.
 */
export function createMetrics(options: MetricsOptions): Metrics {
  const { poolUse, keyIds, storedKeyIds } = options
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addProgramMetrics(registry, options)
  addPoolMetrics(registry, poolUse)
  const instrumentTokenCheck = countKeyChecks(registry)
  const instrumentLimiter = countRateLimitDecisions(registry)
  const instrumentLog = countRequests(registry)
  const deprecatedUses = countDeprecatedUses(registry)
  deprecatedUses.startSeries(keyIds)
  let hasStoredSeries = false

  return {
    contentType: registry.contentType,
    async read() {
      // While the database is unavailable its own metrics show that, and the next reading tries again.
      const ids = hasStoredSeries ? [] : await storedKeyIds().catch(() => undefined)
      if (ids !== undefined) deprecatedUses.startSeries(ids)
      hasStoredSeries = ids !== undefined
      return registry.metrics()
    },
    instrumentation: {
      repository: timeOperations(registry),
      app: (options) => ({
        ...options,
        ...instrumentTokenCheck(options),
        ...(options.rateLimiting && { rateLimiting: instrumentLimiter(options.rateLimiting) }),
        log: instrumentLog(deprecatedUses.instrument(options.log)),
      }),
    },
  }
}

function addProgramMetrics(registry: Registry, { droppedLogLines, backgroundFailures }: MetricsOptions): void {
  new Gauge({
    name: 'pet_store_build_info',
    help: 'The version of the program; the value is always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: VERSION }, 1)
  const count = (name: string, help: string, total: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(total())
      },
    })
  count(
    'pet_store_log_lines_dropped_total',
    'Log lines dropped because standard output was full or closed.',
    droppedLogLines,
  )
  count(
    'pet_store_background_failures_total',
    'Failures of work that no request waits for, such as deleting expired idempotency keys.',
    backgroundFailures,
  )
}
