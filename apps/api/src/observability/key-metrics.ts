import type { PetAppOptions, RateLimiting } from '@pet-store/http-express'
import { Counter, type Registry } from 'prom-client'

/** Counts checks of API keys by result. */
export function countKeyChecks(
  registry: Registry,
): (options: PetAppOptions) => Pick<PetAppOptions, 'tokenCheck' | 'onMissingKey'> {
  const checks = new Counter({
    name: 'pet_store_key_checks_total',
    help: 'Checks of API keys by result.',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of ['valid', 'missing', 'invalid', 'too_many_look_ups', 'error']) checks.inc({ result }, 0)

  function counted<Verdict>(verdict: Verdict): Verdict {
    checks.inc({ result: resultOf(verdict) })
    return verdict
  }
  function failed(reason: unknown): never {
    checks.inc({ result: 'error' })
    throw reason
  }
  return ({ tokenCheck }) => ({
    tokenCheck(key, address) {
      const verdict = tokenCheck(key, address)
      return verdict instanceof Promise ? verdict.then(counted, failed) : counted(verdict)
    },
    onMissingKey: () => checks.inc({ result: 'missing' }),
  })
}

function resultOf(verdict: unknown): string {
  if (verdict === undefined) return 'invalid'
  return verdict === 'too_many_look_ups' ? verdict : 'valid'
}

/** Counts what the rate limiter decides. */
export function countRateLimitDecisions(registry: Registry): (rateLimiting: RateLimiting) => RateLimiting {
  const decisions = new Counter({
    name: 'pet_store_rate_limit_decisions_total',
    help: 'Requests counted against RATE_LIMIT by decision.',
    labelNames: ['decision'],
    registers: [registry],
  })
  for (const decision of ['allowed', 'rejected']) decisions.inc({ decision }, 0)
  return ({ limit, limiter }) => ({
    limit,
    limiter: {
      async take(keyId) {
        const allowance = await limiter.take(keyId)
        decisions.inc({ decision: allowance.isAllowed ? 'allowed' : 'rejected' })
        return allowance
      },
    },
  })
}
