import { type Allowance, type CreateRateLimiter, createMemoryRateLimiter, type RateLimit } from '@pet-store/access'
import { rateLimiterContract } from './rate-limiter-contract.ts'
import { type Fault, pause, testContract } from './testing/fault.test-support.ts'

const limiterFault = (
  name: string,
  caughtBy: readonly string[],
  take: (limit: RateLimit) => (keyId: string) => Allowance | Promise<Allowance>,
): Fault<CreateRateLimiter> => [
  name,
  caughtBy.map((id) => `rate-limiter.${id}`),
  () => (limit) => ({ take: take(limit) }),
]

/** Changes what a correct limiter returns. */
const returning = (name: string, caughtBy: readonly string[], change: (allowance: Allowance) => Partial<Allowance>) =>
  limiterFault(name, caughtBy, (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return (keyId) => {
      const allowance = take(keyId)
      return { ...allowance, ...change(allowance) }
    }
  })

const faults: readonly Fault<CreateRateLimiter>[] = [
  limiterFault(
    'allows one more',
    ['exact'],
    (limit) => createMemoryRateLimiter({ ...limit, requests: limit.requests + 1 }).take,
  ),
  returning('returns a negative remaining number', ['exact'], ({ isAllowed, remaining }) => ({
    remaining: isAllowed ? remaining : -1,
  })),
  returning('returns the end of the window as a date', ['reset'], () => ({ resetMs: Date.now() })),
  returning('always allows', ['exact', 'per-key', 'concurrent', 'next-window'], () => ({
    isAllowed: true,
  })),
  returning('never allows', ['exact', 'next-window'], () => ({ isAllowed: false })),
  limiterFault('counts all keys together', ['per-key'], (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return () => take('all')
  }),
  limiterFault('forgets keys after 256 others', ['per-key'], (limit) => {
    let keys = 0
    let { take } = createMemoryRateLimiter(limit)
    return (keyId) => {
      keys += 1
      if (keys % 256 === 0) take = createMemoryRateLimiter(limit).take
      return take(keyId)
    }
  }),
  limiterFault('reads the count, waits, and writes it', ['concurrent'], ({ requests, windowMs }) => {
    const counts = new Map<string, number>()
    return async (keyId) => {
      const count = (counts.get(keyId) ?? 0) + 1
      await pause()
      counts.set(keyId, count)
      return { isAllowed: count <= requests, remaining: Math.max(0, requests - count), resetMs: windowMs }
    }
  }),
  limiterFault('never starts again', ['next-window'], (limit) => {
    const { take } = createMemoryRateLimiter({ ...limit, windowMs: 3_600_000 })
    return (keyId) => ({ ...take(keyId), resetMs: 10 })
  }),
  returning('returns the same remaining time always', ['reset'], () => ({ resetMs: 200 })),
  limiterFault('extends the window with each request', ['window-ends'], ({ requests, windowMs }) => {
    let [count, endMs] = [0, 0]
    return () => {
      if (Date.now() >= endMs) count = 0
      endMs = Date.now() + windowMs
      count += 1
      return { isAllowed: count <= requests, remaining: Math.max(0, requests - count), resetMs: windowMs }
    }
  }),
  [
    'counts for all limits together',
    ['rate-limiter.per-window'],
    () => {
      let take: ReturnType<CreateRateLimiter>['take'] | undefined
      return (limit) => {
        // The first one is asked for the time only.
        if (limit.requests > 1) take ??= createMemoryRateLimiter(limit).take
        return { take: take ?? createMemoryRateLimiter(limit).take }
      }
    },
  ],
  limiterFault('never responds', ['reset'], () => () => new Promise(() => {})),
]

testContract('rateLimiterContract', rateLimiterContract, faults, () => createMemoryRateLimiter)
