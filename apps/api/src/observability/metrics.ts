import type { RequestListener, Server, ServerResponse } from 'node:http'
import {
  createPetServer,
  ERROR_STATUS,
  type ErrorBody,
  type ErrorCode,
  type HttpLog,
} from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { VERSION } from '../settings/version.ts'
import type { Observability } from './observability.ts'
import { addPoolMetrics, timeOperations } from './persistence-metrics.ts'
import { NO_REPORTS, type Reports } from './reports.ts'
import { countKeyChecks, countRequests } from './request-metrics.ts'

export interface Metrics
  extends Pick<Observability, 'persistence' | 'repository' | 'app' | 'close'> {
  /** Serves their text, `read()`, once it listens. */
  readonly metricsServer: Server
  read(): Promise<string>
}

/**
 * The metrics of the program. Every series whose labels are known beforehand starts with 0, so that
 * `increase` sees the first event, too.
 */
export function openMetrics(
  { log, droppedLogLines }: Pick<Reports, 'log' | 'droppedLogLines'>,
  poolUse: Required<Persistence>['poolUse'],
): Metrics {
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
  const instrumentLog = countRequests(registry)

  // Scrapes are not logged.
  const errorsOnly = { ...log, request: NO_REPORTS.log.request }
  const metricsServer = createPetServer(scrapes(registry, errorsOnly), errorsOnly)

  return {
    read: () => registry.metrics(),
    metricsServer,
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
      tokenCheck: instrumentTokenCheck(options.tokenCheck),
      log: instrumentLog(options.log),
    }),
    async close() {
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

/**
 * `/metrics`, in the text format of Prometheus, for a listener that only operators can reach; no
 * key needed.
 */
function scrapes(registry: Registry, log: HttpLog): RequestListener {
  return (req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics')
      return sendError(res, 'not_found', 'There is nothing but /metrics.')
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD')
      return sendError(res, 'method_not_allowed', 'Metrics can only be read.')
    }
    registry.metrics().then(
      (text) => res.setHeader('Content-Type', registry.contentType).end(text),
      (error: unknown) => {
        log.internalError(error, '')
        sendError(res, 'internal_error', 'The metrics could not be read. The log has the cause.')
      },
    )
  }
}

function sendError(res: ServerResponse, code: ErrorCode, message: string): void {
  const body: ErrorBody = { code, message, status: ERROR_STATUS[code] }
  res.writeHead(body.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
