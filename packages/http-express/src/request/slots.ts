import type { HandlerResponse } from '../response/context.ts'
import { onceLeft } from '../response/response-left.ts'
import type { Check } from './handler.ts'
import { overloaded } from './unavailable.ts'

/** How long a request waits for others to end. */
const MAX_WAIT_MS = 1_000
/** How many wait at the same time: their headers are in memory, not their bodies. */
const MAX_WAITING = 4_000
/**
 * How often requests are rejected, and how many each time at most. Without this bound the event
 * loop would read and reject the requests of clients that repeat at once, one after the other, and
 * not come to those under way.
 */
const REJECT_INTERVAL_MS = 10
const MAX_REJECTED = 50

interface Waiting {
  readonly start: () => void
  readonly reject: () => void
  readonly deadlineMs: number
}

/**
 * Lets this many requests be under way, each until its response has left. Others wait in order,
 * before any of their body is read; one that waits too long, or is one too many, gets 503. Without
 * such a bound an overloaded service holds more and more requests, and responds to all of them too
 * late.
 */
export function limitSlots(maxRequests: number): Check {
  /** In order of arrival, which is the order of their deadlines. */
  const waiting = new Map<HandlerResponse, Waiting>()
  /**
   * Those that are too many, until they are rejected. Each has a connection of its own, which
   * bounds them.
   */
  const excess = new Map<HandlerResponse, Waiting>()
  let underWay = 0
  let timer: NodeJS.Timeout | undefined

  function begin(res: HandlerResponse): void {
    underWay += 1
    onceLeft(res, end)
  }

  function end(): void {
    underWay -= 1
    const [next] = waiting.values()
    if (underWay < maxRequests) next?.start()
  }

  function rejectSome(): void {
    const now = performance.now()
    let rejected = 0
    for (const queue of [waiting, excess]) {
      for (const { deadlineMs, reject } of queue.values()) {
        if (deadlineMs > now || rejected === MAX_REJECTED) break
        rejected += 1
        reject()
      }
    }
    if (waiting.size > 0 || excess.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (_req, res) => {
    if (underWay < maxRequests) return begin(res)
    timer ??= setInterval(rejectSome, REJECT_INTERVAL_MS)
    return new Promise((resolve, reject) => {
      const isExcess = waiting.size >= MAX_WAITING
      const queue = isExcess ? excess : waiting
      const leave = () => queue.delete(res)
      queue.set(res, {
        deadlineMs: isExcess ? 0 : performance.now() + MAX_WAIT_MS,
        start() {
          leave()
          begin(res)
          resolve()
        },
        reject() {
          leave()
          reject(overloaded(res))
        },
      })
      onceLeft(res, leave)
    })
  }
}
