import {
  DECLARED_ROUTES,
  type HttpLog,
  type RequestEntry,
  type TokenCheck,
} from '@pet-store/http-express'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { DURATION_BUCKETS } from './duration-buckets.ts'

const UNKNOWN_ROUTE = 'unknown'
const DEPRECATED = DECLARED_ROUTES.filter(({ isDeprecated }) => isDeprecated)
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Counts and times requests by what is logged about them, and counts the uses of deprecated
 * operations by API key.
 */
export function countRequests(registry: Registry): (log: HttpLog) => HttpLog {
  const requests = new Histogram({
    name: 'pet_store_http_request_duration_seconds',
    help: 'Duration of requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  for (const { method, route, statuses } of DECLARED_ROUTES) {
    for (const status of [...statuses, '500', '503']) requests.zero({ method, route, status })
  }
  let underWay = 0
  new Gauge({
    name: 'pet_store_http_requests_in_flight',
    help: 'Requests without a complete response yet.',
    registers: [registry],
    collect() {
      this.set(underWay)
    },
  })
  const deprecatedUses = new Map<string, number>()
  new Counter({
    name: 'pet_store_deprecated_uses_total',
    help: 'Uses of getPet by the id of the API key.',
    labelNames: ['key_id'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [keyId, uses] of deprecatedUses) this.inc({ key_id: keyId }, uses)
    },
  })
  return (log) => ({
    ...log,
    begin() {
      underWay += 1
      log.begin?.()
    },
    request(entry) {
      underWay -= 1
      const { route, keyId, method, durationMs } = entry
      const served = method === 'HEAD' ? 'GET' : method
      requests.observe(labelsOf(entry), durationMs / 1000)
      if (
        keyId !== undefined &&
        DEPRECATED.some((one) => one.route === route && one.method === served)
      )
        deprecatedUses.set(keyId, (deprecatedUses.get(keyId) ?? 0) + 1)
      log.request(entry)
    },
  })
}

/**
 * The labels of a request. All unknown methods share one label, and so do all unknown paths,
 * because clients can send any number of them. Responses that were not sent completely share one
 * status.
 */
function labelsOf({ method = '', route = UNKNOWN_ROUTE, status }: RequestEntry) {
  return { method: METHODS.has(method) ? method : 'other', route, status: status ?? 'incomplete' }
}

/** Counts checks of API keys by result. A request without a key is not checked, and not counted. */
export function countKeyChecks(registry: Registry): (check: TokenCheck) => TokenCheck {
  const checks = { valid: 0, invalid: 0, too_many_look_ups: 0, error: 0 }
  new Counter({
    name: 'pet_store_key_checks_total',
    help: 'Checks of API keys by result.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(checks)) this.inc({ result }, count)
    },
  })

  function counted<Result>(result: Result): Result {
    checks[resultOf(result)] += 1
    return result
  }
  function failed(reason: unknown): never {
    checks.error += 1
    throw reason
  }
  return (check) => (key, address) => {
    const result = check(key, address)
    return result instanceof Promise ? result.then(counted, failed) : counted(result)
  }
}

function resultOf(result: unknown): 'valid' | 'invalid' | 'too_many_look_ups' {
  if (result === undefined) return 'invalid'
  return result === 'too_many_look_ups' ? result : 'valid'
}
