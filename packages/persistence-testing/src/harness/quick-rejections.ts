import { type Follow, followedHarness } from './followed-harness.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

/** No deadline of an adapter is shorter. */
const SHORTEST_DEADLINE_MS = 500

/** The members of a harness after which calls may be rejected at once for a while. */
const OUTAGES = ['interrupt', 'freeze', 'fill', 'loseConnections'] as const

/** Which calls were rejected before any deadline of the adapter can have run out. */
export interface QuickRejections {
  /** The same harness; the calls of what it opens are timed. */
  readonly harness: PersistenceHarness
  /** Forgets the calls so far. */
  begin(): void
  /**
   * Whether the adapter has rejected a call with this error although no call has taken long, and
   * there was no outage. An opening that has resolved may have taken any time.
   */
  isQuick(error: unknown): boolean
}

export function quickRejections(
  harness: PersistenceHarness,
  nowMs: () => number = () => performance.now(),
): QuickRejections {
  let rejected = new WeakSet<object>()
  let longestMs = 0
  let hadOutage = false

  const follow: Follow = (name, _, call) => {
    const startMs = nowMs()
    const noteEnd = () => {
      longestMs = Math.max(longestMs, nowMs() - startMs)
    }
    const result = call()
    if (!(result instanceof Promise)) return result
    return result.then(
      (value: unknown) => {
        if (!name.startsWith('open')) noteEnd()
        return value
      },
      (error: unknown) => {
        noteEnd()
        if (typeof error === 'object' && error !== null) rejected.add(error)
        throw error
      },
    )
  }

  const outages = OUTAGES.flatMap((name) => {
    const begin = harness[name]
    if (begin === undefined) return []
    const noted: typeof begin = (url) => {
      hadOutage = true
      return begin(url)
    }
    return [[name, noted]]
  })

  return {
    harness: { ...followedHarness(harness, follow), ...Object.fromEntries(outages) },
    begin() {
      rejected = new WeakSet()
      longestMs = 0
      hadOutage = false
    },
    isQuick(error) {
      if (hadOutage || longestMs >= SHORTEST_DEADLINE_MS) return false
      return typeof error === 'object' && error !== null && rejected.has(error)
    },
  }
}
