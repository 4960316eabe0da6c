import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { PetRepository } from '@pet-store/domain'
import {
  createPetServer,
  ERROR_STATUS,
  type ErrorBody,
  type ErrorCode,
  type HttpLog,
  type ReadinessCheck,
  type RequestQueue,
  type TokenCheck,
} from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { VERSION } from '../../settings/version.ts'
import { NO_REPORTS, type Reports } from '../reports.ts'
import { addPoolMetrics, timeOperations } from './persistence-metrics.ts'
import { showQueues } from './queue-metrics.ts'
import { addReadinessMetrics } from './readiness-metrics.ts'
import { countKeyChecks, countRequests } from './request-metrics.ts'

export interface Metrics {
  readonly onBackgroundFailure: Reports['onBackgroundFailure']
  /** Adds metrics of the connections to the database. */
  showPools(poolUse: Required<Persistence>['poolUse']): void
  /** Adds metrics of the requests that wait for a slot. */
  showRequestQueue(queue: () => RequestQueue): void
  /** Adds metrics of readiness. */
  showReadiness(readiness: ReadinessCheck): void
  /** Returns a log that also counts and times requests. */
  log(log: HttpLog): HttpLog
  /** Returns a check that also counts its results. */
  tokenCheck(check: TokenCheck): TokenCheck
  /** Returns a repository that also times its operations. */
  repository(pets: PetRepository): PetRepository
  /** Serves the text of the metrics once it listens. */
  readonly metricsServer: Server | undefined
  close(): Promise<void>
}

export interface OpenedMetrics extends Metrics {
  readonly metricsServer: Server
  read(): Promise<string>
}

/**
 * Opens the metrics of the program. Every series whose labels are known in advance starts with 0,
 * so that `increase` in Prometheus includes the first event.
 */
export function openMetrics({
  log,
  droppedLogLines,
  onBackgroundFailure,
}: Pick<Reports, 'log' | 'droppedLogLines' | 'onBackgroundFailure'>): OpenedMetrics {
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
  const addQueues = showQueues(registry)
  const backgroundFailures = new Counter({
    name: 'pet_store_background_failures_total',
    help: 'Failures of work that no request waits for, such as deleting expired idempotency keys.',
    registers,
  })
  // Scrapes are not logged.
  const errorsOnly = { ...log, request: NO_REPORTS.log.request }
  const metricsServer = createPetServer(handleScrapes(registry, errorsOnly), errorsOnly)

  return {
    read: () => registry.metrics(),
    metricsServer,
    onBackgroundFailure(error) {
      backgroundFailures.inc()
      onBackgroundFailure(error)
    },
    showPools(poolUse) {
      addPoolMetrics(registry, poolUse)
      addQueues(() =>
        poolUse().map(({ name, waiting, waitingLimit: limit }) => ({ name, waiting, limit })),
      )
    },
    showRequestQueue: (queue) => addQueues(() => [{ name: 'requests', ...queue() }]),
    showReadiness: (readiness) => addReadinessMetrics(registry, readiness),
    log: countRequests(registry),
    tokenCheck: countKeyChecks(registry),
    repository: timeOperations(registry),
    async close() {
      metricsServer.close()
      metricsServer.closeAllConnections()
    },
  }
}

/**
 * Serves `/metrics` in the text format of Prometheus. It needs no key: only operators should be
 * able to reach this listener.
 */
function handleScrapes(registry: Registry, log: HttpLog): RequestListener {
  return (req, res) => {
    if (req.url?.split('?', 1)[0] !== '/metrics')
      return sendError(res, 'not_found', 'Only /metrics is served here.')
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
