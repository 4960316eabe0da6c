import { type Allowance, type CreateRateLimiter, createMemoryRateLimiter } from '@pet-store/access'
import { type Fault, pause, testContract } from './fault.test-support.ts'
import { rateLimiterContract } from './rate-limiter-contract.ts'

const EXACTLY = 'allows exactly as many as the limit in a window'
const HOW_LONG = 'says how long the window still lasts'
const EACH_KEY = 'counts each key on its own'
const SAME_TIME = 'allows no more when many come at the same time'
const ANEW = 'begins anew with each window'

/** Changes what a limiter says. */
function saying(create: CreateRateLimiter, change: (allowance: Allowance) => Partial<Allowance>): CreateRateLimiter {
  return (limit) => {
    const limiter = create(limit)
    return {
      async take(keyId) {
        const allowance = await limiter.take(keyId)
        return { ...allowance, ...change(allowance) }
      },
    }
  }
}

const faults: readonly Fault<CreateRateLimiter>[] = [
  {
    name: 'allows one more',
    caughtBy: [EXACTLY],
    over: (create) => (limit) => create({ ...limit, requests: limit.requests + 1 }),
  },
  {
    name: 'says less than nothing remains',
    caughtBy: [EXACTLY],
    over: (create) => saying(create, ({ isAllowed, remaining }) => ({ remaining: isAllowed ? remaining : -1 })),
  },
  {
    name: 'names the end as a date',
    caughtBy: [HOW_LONG],
    over: (create) => saying(create, () => ({ resetMs: Date.now() })),
  },
  {
    name: 'counts all keys together',
    caughtBy: [EACH_KEY],
    over: (create) => (limit) => {
      const limiter = create(limit)
      return { take: () => limiter.take('all') }
    },
  },
  {
    name: 'reads, lets others in, and writes',
    caughtBy: [SAME_TIME],
    over:
      () =>
      ({ requests, windowMs }) => {
        const counts = new Map<string, number>()
        return {
          async take(keyId) {
            const count = (counts.get(keyId) ?? 0) + 1
            await pause()
            counts.set(keyId, count)
            return { isAllowed: count <= requests, remaining: Math.max(0, requests - count), resetMs: windowMs }
          },
        }
      },
  },
  {
    name: 'never begins anew',
    caughtBy: [ANEW],
    over: (create) => (limit) => {
      const limiter = create({ ...limit, windowMs: 3_600_000 })
      return {
        async take(keyId) {
          return { ...(await limiter.take(keyId)), resetMs: 10 }
        },
      }
    },
  },
]

testContract('rateLimiterContract', rateLimiterContract, faults, () => createMemoryRateLimiter)
