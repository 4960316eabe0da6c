import { DEPRECATED_ROUTES, type MetricsText } from '@pet-store/http-express'
import type { Persistence } from '@pet-store/persistence'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import { Counts } from './counts.ts'
import { Durations, type MetricValue } from './durations.ts'
import type { Observer } from './observer.ts'
import { RequestDurations } from './request-durations.ts'
import { timed } from './timed-repository.ts'

/** What is counted, and how it is read. */
export interface Metrics extends MetricsText {
  readonly observer: Observer
}

/** What the metrics ask when they are read. */
interface Sources {
  /** How busy the connections to the database are. */
  poolUse: Required<Persistence>['poolUse']
}

/**
 * Counts what the program does. On the way of a request numbers go into plain fields; prom-client, which hashes the
 * labels of every single observation, only writes them down when they are read, and adds what it knows of the process.
 */
export function createMetrics({ poolUse }: Sources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new RequestDurations()
  const storage = { add: new Durations(), addWithKey: new Durations(), find: new Durations(), list: new Durations() }
  const keyChecks = new Counts('result', ['good', 'missing', 'unknown', 'too_many_look_ups', 'error'])
  const decisions = new Counts('decision', ['allowed', 'refused'])
  const deprecatedUses = new Counts('key_id')
  let inFlight = 0

  function publish(name: string, type: 'counter' | 'gauge' | 'histogram', help: string, read: Reading): void {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: read(name) })
    // Of a metric the registry wants its name, and what it gives.
    registry.registerMetric({ name, get } as unknown as Metric)
  }

  publish('pet_store_http_request_duration_seconds', 'histogram', 'How long requests took to be answered.', (name) =>
    requests.values(name),
  )
  publish('pet_store_http_requests_in_flight', 'gauge', 'Requests that are being answered.', () => [
    { labels: {}, value: inFlight },
  ])
  publish('pet_store_key_checks_total', 'counter', 'Checks of API keys, by their result.', () => keyChecks.values())
  publish('pet_store_rate_limit_decisions_total', 'counter', 'Requests held against RATE_LIMIT.', () =>
    decisions.values(),
  )
  publish('pet_store_deprecated_uses_total', 'counter', 'Uses of getPet, by the id of the API key.', () =>
    deprecatedUses.values(),
  )
  publish('pet_store_storage_duration_seconds', 'histogram', 'How long storage took, by operation.', (name) =>
    Object.entries(storage).flatMap(([operation, durations]) => durations.values(name, { operation })),
  )
  publish('pet_store_pool_connections', 'gauge', 'Connections to the database, by what they do.', () =>
    poolUse().flatMap(({ name: pool, busy, idle }) => [
      { labels: { pool, state: 'busy' }, value: busy },
      { labels: { pool, state: 'idle' }, value: idle },
    ]),
  )
  publish('pet_store_pool_connections_limit', 'gauge', 'The most connections there can be.', () =>
    poolUse().map(({ name: pool, limit }) => ({ labels: { pool }, value: limit })),
  )
  publish('pet_store_pool_waiting', 'gauge', 'Statements that wait for a connection.', () =>
    poolUse().map(({ name: pool, waiting }) => ({ labels: { pool }, value: waiting })),
  )

  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    observer: {
      log: (log) => ({
        internalError: (error, requestId) => log.internalError(error, requestId),
        begin() {
          inFlight += 1
          log.begin?.()
        },
        request(entry) {
          inFlight -= 1
          requests.note(entry)
          const { route, keyId, method } = entry
          if (keyId !== undefined && route !== undefined && DEPRECATED_ROUTES.has(route) && isUse(method)) {
            deprecatedUses.note(keyId)
          }
          log.request(entry)
        },
      }),

      tokenCheck(check) {
        const noted = <Verdict>(verdict: Verdict): Verdict => {
          keyChecks.note(resultOf(verdict))
          return verdict
        }
        const failed = (reason: unknown) => {
          keyChecks.note('error')
          throw reason
        }
        return (key, address) => {
          const verdict = check(key, address)
          return verdict instanceof Promise ? verdict.then(noted, failed) : noted(verdict)
        }
      },

      missingKey: () => keyChecks.note('missing'),

      rateLimiter: (limiter) => ({
        async take(keyId) {
          const allowance = await limiter.take(keyId)
          decisions.note(allowance.isAllowed ? 'allowed' : 'refused')
          return allowance
        },
      }),

      useCases: (pets) => pets,
      repository: (pets) => timed(pets, storage),
    },
  }
}

type Reading = (name: string) => readonly MetricValue[]

function resultOf(verdict: unknown): string {
  if (verdict === undefined) return 'unknown'
  return verdict === 'too_many_look_ups' ? verdict : 'good'
}

/** Asking what a path can do, or asking it for something else, is no use of the operation. */
function isUse(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}
