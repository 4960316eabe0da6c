import {
  type Allowance,
  type CreateRateLimiter,
  createMemoryRateLimiter,
  type RateLimit,
} from '@pet-store/access'
import { rateLimiterContract } from './rate-limiter-contract.ts'
import { type Fault, pause } from './testing/fault.test-support.ts'
import { testContract } from './testing/test-contract.test-support.ts'

type Take = (keyId: string) => Allowance | Promise<Allowance>

/** What all limits of an adapter share. */
interface Shared {
  take?: Take
  counts?: Map<string, { readonly startMs: number; readonly count: number }>
}

/** Changes what a correct limiter returns. */
const returning = (change: (allowance: Allowance) => Partial<Allowance>) => (limit: RateLimit) => {
  const { take } = createMemoryRateLimiter(limit)
  return (keyId: string) => {
    const allowance = take(keyId)
    return { ...allowance, ...change(allowance) }
  }
}

const allowanceOf = (count: number, { requests, windowMs }: RateLimit): Allowance => ({
  ...{ isAllowed: count <= requests, remaining: Math.max(0, requests - count), resetMs: windowMs },
})

/**
 * `ids of the cases that must fail: what it does wrong`, and a limiter; `shared` is one object for
 * all limits.
 */
const FAULTS: Readonly<Record<string, (limit: RateLimit, shared: Shared) => Take>> = {
  'exact: allows one more': (limit) =>
    createMemoryRateLimiter({ ...limit, requests: limit.requests + 1 }).take,
  'every-limit: allows at most 255': (limit) =>
    createMemoryRateLimiter({ ...limit, requests: Math.min(limit.requests, 255) }).take,
  'exact: returns a negative remaining number': returning(({ isAllowed, remaining }) => ({
    remaining: isAllowed ? remaining : -1,
  })),
  'reset: returns the end of the window as a date': returning(() => ({ resetMs: Date.now() })),
  'exact per-key concurrent next-window: always allows': returning(() => ({ isAllowed: true })),
  'exact next-window: never allows': returning(() => ({ isAllowed: false })),
  'per-key: counts all keys together': (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return () => take('all')
  },
  'per-key: counts keys together that are equal up to a colon': (limit, shared) => {
    shared.take ??= createMemoryRateLimiter(limit).take
    const { take } = shared
    return (keyId) => take(keyId.split('::')[0] ?? '')
  },
  'per-key: counts keys together that are equal in 64 characters': (limit, shared) => {
    shared.take ??= createMemoryRateLimiter(limit).take
    const { take } = shared
    return (keyId) => take(keyId.slice(0, 64))
  },
  'per-key: forgets keys after 256 others': (limit) => {
    let keys = 0
    let { take } = createMemoryRateLimiter(limit)
    return (keyId) => {
      keys += 1
      if (keys % 256 === 0) take = createMemoryRateLimiter(limit).take
      return take(keyId)
    }
  },
  'beside-others: deletes the counts of all limits that began before its own window': (
    limit,
    shared,
  ) => {
    shared.counts ??= new Map()
    const { counts } = shared
    return (keyId) => {
      const nowMs = Date.now()
      const name = `${limit.windowMs} ${keyId}`
      for (const [other, { startMs }] of counts)
        if (startMs <= nowMs - limit.windowMs) counts.delete(other)
      const { startMs, count } = counts.get(name) ?? { startMs: nowMs, count: 0 }
      counts.set(name, { startMs, count: count + 1 })
      return allowanceOf(count + 1, limit)
    }
  },
  'per-limit: counts no further than its own limit, in a count that limits share': (
    limit,
    shared,
  ) => {
    shared.counts ??= new Map()
    const { counts } = shared
    return (keyId) => {
      const name = `${limit.windowMs} ${keyId}`
      const nowMs = Date.now()
      const { startMs, count } = counts.get(name) ?? { startMs: nowMs, count: 0 }
      const isOver = startMs <= nowMs - limit.windowMs
      const next = isOver ? 1 : Math.min(count, limit.requests) + 1
      counts.set(name, { startMs: isOver ? nowMs : startMs, count: next })
      return allowanceOf(next, limit)
    }
  },
  'concurrent: reads the count, waits, and writes it': (limit) => {
    const counts = new Map<string, number>()
    return async (keyId) => {
      const count = (counts.get(keyId) ?? 0) + 1
      await pause()
      counts.set(keyId, count)
      return allowanceOf(count, limit)
    }
  },
  "concurrent-keys: gives the results of one moment to each other's calls": (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    let waiting: string[] = []
    return async (keyId) => {
      const index = waiting.push(keyId) - 1
      const group = waiting
      await pause()
      waiting = []
      return take(group[group.length - 1 - index] ?? keyId)
    }
  },
  'long-window: has 32 bits for the length of a window': (limit) =>
    createMemoryRateLimiter({ ...limit, windowMs: limit.windowMs | 0 }).take,
  'long-window: counts together in all windows that are too long': (limit, shared) => {
    const { take } = createMemoryRateLimiter(limit)
    if (limit.windowMs > 2 ** 31) shared.take ??= take
    return (limit.windowMs > 2 ** 31 && shared.take) || take
  },
  'window-length: counts in whole seconds': (limit) =>
    createMemoryRateLimiter({
      ...limit,
      windowMs: Math.max(1, Math.floor(limit.windowMs / 1_000)) * 1_000,
    }).take,
  'window-length: has windows of a second at least': (limit) =>
    createMemoryRateLimiter({ ...limit, windowMs: Math.max(1_000, limit.windowMs) }).take,
  'window-length: has windows that are cut to seconds': (limit) => {
    const windowMs =
      limit.windowMs < 1_000 ? limit.windowMs : limit.windowMs - (limit.windowMs % 1_000)
    return createMemoryRateLimiter({ ...limit, windowMs }).take
  },
  'next-window: never starts again': (limit) => {
    const { take } = createMemoryRateLimiter({ ...limit, windowMs: 3_600_000 })
    return (keyId) => ({ ...take(keyId), resetMs: 10 })
  },
  'reset: returns the same remaining time always': returning(() => ({ resetMs: 200 })),
  'whole-window: begins again before the window has ended': (limit) => {
    const half = { ...limit, windowMs: limit.windowMs / 2 }
    const { take } = createMemoryRateLimiter(half)
    return (keyId) => {
      const allowance = take(keyId)
      return { ...allowance, resetMs: allowance.resetMs + half.windowMs }
    }
  },
  'per-key: counts keys together that look alike': (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return (keyId) => take(keyId.normalize('NFC'))
  },
  'per-key: takes keys for patterns': (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return (keyId) => take(keyId.replace('_*', '_kiosk'))
  },
  'window-ends: extends the window with each request': (limit) => {
    let count = 0
    let endMs = 0
    return () => {
      if (Date.now() >= endMs) count = 0
      endMs = Date.now() + limit.windowMs
      count += 1
      return allowanceOf(count, limit)
    }
  },
  'edges: begins the window again of a request that has waited since the last one': (limit) => {
    let window = 0
    let count = 0
    return async () => {
      const atMs = Date.now()
      const own = Math.floor(atMs / limit.windowMs)
      await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()))
      if (own !== window) count = 0
      window = own
      count += 1
      return { ...allowanceOf(count, limit), resetMs: (own + 1) * limit.windowMs - atMs }
    }
  },
  'per-window: counts for all limits together': (limit, shared) => {
    const { take } = createMemoryRateLimiter(limit)
    // The first one is asked for the time only.
    if (limit.requests > 1) shared.take ??= take
    return shared.take ?? take
  },
  'per-window: counts windows together whose lengths are equal in whole seconds': (
    limit,
    shared,
  ) => {
    const { take } = createMemoryRateLimiter(limit)
    // The first one is asked for the time only.
    if (limit.requests > 1) shared.take ??= take
    const counting = shared.take ?? take
    return (keyId) => counting(`${Math.round(limit.windowMs / 1_000)} ${keyId}`)
  },
  'per-key: denies all keys after the first 1,000 of a window': (limit) =>
    createMemoryRateLimiter(limit, Date.now, 1_000).take,
  'per-limit: uses the first limit for all of one length of window': (limit, shared) => {
    const { take } = createMemoryRateLimiter(limit)
    if (limit.requests > 1) shared.take ??= take
    return limit.requests > 3 ? (shared.take ?? take) : take
  },
  'per-key: ignores the case of keys': (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return (keyId) => take(keyId.toLowerCase())
  },
  'per-key: ignores spaces at the end of keys': (limit) => {
    const { take } = createMemoryRateLimiter(limit)
    return (keyId) => take(keyId.trimEnd())
  },
  'reset: never responds': () => () => new Promise(() => {}),
}

const faults = Object.entries(FAULTS).map(([text, takeOf]): Fault<CreateRateLimiter> => {
  const [ids = '', name = ''] = text.split(': ')
  const create = () => {
    const shared = {}
    return (limit: RateLimit) => ({ take: takeOf(limit, shared) })
  }
  return [name, ids.split(' ').map((id) => `rate-limiter.${id}`), create]
})

testContract('rateLimiterContract', rateLimiterContract, faults, () => createMemoryRateLimiter)
