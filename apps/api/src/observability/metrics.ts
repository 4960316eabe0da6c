import type { RateLimiter } from '@pet-store/access'
import type { PetRepository } from '@pet-store/domain'
import {
  DECLARED_RESPONSES,
  DEPRECATED_ROUTES,
  type HttpLog,
  type MetricsText,
  type RequestEntry,
  type TokenCheck,
} from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { VERSION } from '../settings/version.ts'
import type { Instrumentation } from './instrumentation.ts'

/** What is counted, and how it is read. */
export interface Metrics extends MetricsText {
  readonly instrumentation: Instrumentation
}

export interface MetricsOptions {
  readonly poolUse: Required<Persistence>['poolUse']
  readonly droppedLogLines: () => number
  /** The ids of API keys whose uses of deprecated operations are shown from the start. */
  readonly keyIds: readonly string[]
  /** Returns others, which are shown from the first reading on: no start should wait for the database. */
  readonly storedKeyIds: () => Promise<readonly string[]>
}

/** Upper bounds in seconds, from what is cached to what the settings let time out. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const UNKNOWN_ROUTE = 'unknown'
/** Responses that every service sends without a route: to unknown paths, and to what is not HTTP. */
const UNROUTED = [
  ['GET', ['400', '401', '404']],
  ['POST', ['400', '401', '404']],
  ['other', ['400', '401', '404', '408', '431']],
] as const
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The metrics of the program. Every series that can be known beforehand starts with 0, so that `increase` sees the first
 * event, too.
 */
export function createMetrics({ poolUse, droppedLogLines, keyIds, storedKeyIds }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  new Gauge({
    name: 'pet_store_build_info',
    help: 'The version of the program; the value is always 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1)

  const requests = new Histogram({
    name: 'pet_store_http_request_duration_seconds',
    help: 'Duration of requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  })
  for (const labels of DECLARED_RESPONSES) {
    for (const status of [labels.status, '500', '503']) requests.zero({ ...labels, status })
  }
  for (const [method, statuses] of UNROUTED) {
    for (const status of statuses) requests.zero({ method, route: UNKNOWN_ROUTE, status })
  }

  const inFlight = new Gauge({
    name: 'pet_store_http_requests_in_flight',
    help: 'Requests without a complete response yet.',
    registers,
  })

  const keyChecks = new Counter({
    name: 'pet_store_key_checks_total',
    help: 'Checks of API keys by result.',
    labelNames: ['result'],
    registers,
  })
  for (const result of ['valid', 'missing', 'invalid', 'too_many_look_ups', 'error']) keyChecks.inc({ result }, 0)

  const rateLimitDecisions = new Counter({
    name: 'pet_store_rate_limit_decisions_total',
    help: 'Requests counted against RATE_LIMIT by decision.',
    labelNames: ['decision'],
    registers,
  })
  for (const decision of ['allowed', 'rejected']) rateLimitDecisions.inc({ decision }, 0)

  const deprecatedUses = new Counter({
    name: 'pet_store_deprecated_uses_total',
    help: 'Uses of getPet by the id of the API key.',
    labelNames: ['key_id'],
    registers,
  })
  const startSeries = (ids: readonly string[]) => {
    for (const keyId of ids) deprecatedUses.inc({ key_id: keyId }, 0)
  }
  startSeries(keyIds)
  let keySeries: Promise<void> | undefined
  function startKeySeries(): Promise<void> {
    keySeries ??= storedKeyIds().then(startSeries, () => {
      // The database is unavailable: its own metrics show that, and the next reading tries again.
      keySeries = undefined
    })
    return keySeries
  }

  const operations = new Histogram({
    name: 'pet_store_persistence_duration_seconds',
    help: 'Duration of persistence operations.',
    labelNames: ['operation'],
    buckets: BUCKETS,
    registers,
  })
  for (const operation of ['add', 'addWithKey', 'find', 'list']) operations.zero({ operation })

  new Gauge({
    name: 'pet_store_pool_connections',
    help: 'Connections to the database by state.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { name: pool, busy, idle } of poolUse()) {
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, idle)
      }
    },
  })
  new Gauge({
    name: 'pet_store_pool_connections_limit',
    help: 'The maximum number of connections.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name: pool, limit } of poolUse()) this.set({ pool }, limit)
    },
  })
  new Gauge({
    name: 'pet_store_pool_waiting',
    help: 'Statements that wait for a connection.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name: pool, waiting } of poolUse()) this.set({ pool }, waiting)
    },
  })
  new Counter({
    name: 'pet_store_log_lines_dropped_total',
    help: 'Log lines dropped because standard output was full or closed.',
    registers,
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
  })

  const instrumentation: Instrumentation = {
    repository: (pets) => timed(pets, operations),
    app: (options) => ({
      ...options,
      tokenCheck: countKeyChecks(options.tokenCheck, keyChecks),
      onMissingKey() {
        keyChecks.inc({ result: 'missing' })
        options.onMissingKey?.()
      },
      ...(options.rateLimiting && {
        rateLimiting: {
          ...options.rateLimiting,
          limiter: countDecisions(options.rateLimiting.limiter, rateLimitDecisions),
        },
      }),
      log: countRequests(options.log),
    }),
  }

  function countRequests(log: HttpLog): HttpLog {
    return {
      ...log,
      begin() {
        inFlight.inc()
        log.begin?.()
      },
      request(entry) {
        inFlight.dec()
        requests.observe(labelsOf(entry), entry.durationMs / 1000)
        const { route, keyId, method } = entry
        if (keyId !== undefined && route !== undefined && DEPRECATED_ROUTES.has(route) && isUse(method)) {
          deprecatedUses.inc({ key_id: keyId })
        }
        log.request(entry)
      },
    }
  }

  return {
    contentType: registry.contentType,
    read: () => startKeySeries().then(() => registry.metrics()),
    instrumentation,
  }
}

/** Whatever clients make up gets one label. */
function labelsOf({ method = '', route = UNKNOWN_ROUTE, status }: RequestEntry) {
  return { method: METHODS.has(method) ? method : 'other', route, status }
}

/** A request for what a path allows, or with another method, does not use the operation. */
function isUse(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

function countKeyChecks(check: TokenCheck, keyChecks: Counter<'result'>): TokenCheck {
  const counted = <Verdict>(verdict: Verdict): Verdict => {
    keyChecks.inc({ result: resultOf(verdict) })
    return verdict
  }
  const failed = (reason: unknown) => {
    keyChecks.inc({ result: 'error' })
    throw reason
  }
  return (key, address) => {
    const verdict = check(key, address)
    return verdict instanceof Promise ? verdict.then(counted, failed) : counted(verdict)
  }
}

function resultOf(verdict: unknown): string {
  if (verdict === undefined) return 'invalid'
  return verdict === 'too_many_look_ups' ? verdict : 'valid'
}

function countDecisions(limiter: RateLimiter, decisions: Counter<'decision'>): RateLimiter {
  return {
    async take(keyId) {
      const allowance = await limiter.take(keyId)
      decisions.inc({ decision: allowance.isAllowed ? 'allowed' : 'rejected' })
      return allowance
    },
  }
}

/** A repository whose operations are timed, whether they resolve or reject. */
function timed(pets: PetRepository, durations: Histogram<'operation'>): PetRepository {
  async function time<Result>(operation: keyof PetRepository, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now()
    try {
      return await work()
    } finally {
      durations.observe({ operation }, (performance.now() - start) / 1000)
    }
  }
  return {
    add: (...given) => time('add', () => pets.add(...given)),
    addWithKey: (...given) => time('addWithKey', () => pets.addWithKey(...given)),
    find: (id) => time('find', () => pets.find(id)),
    list: (query) => time('list', () => pets.list(query)),
  }
}
