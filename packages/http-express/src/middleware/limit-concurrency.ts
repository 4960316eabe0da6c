import type { Check, HandlerRequest, HandlerResponse } from '../http/handler.ts'
import { HttpError } from '../http/http-error.ts'
import { notAdded } from './handle-error.ts'

/** How long a request waits for others to end. */
const MAX_WAIT_MS = 1_000
/** How many wait at the same time: their headers are in memory, not their bodies. */
const MAX_WAITING = 4_000
const CHECK_INTERVAL_MS = 50

interface Waiting {
  readonly start: () => void
  readonly reject: () => void
  readonly deadlineMs: number
}

/**
 * Lets this many requests be under way, each until its response has left. Others wait in order, before any of their body
 * is read; one that waits too long, or is one too many, gets 503. Without such a bound an overloaded service holds more
 * and more requests, and responds to all of them too late.
 */
export function limitConcurrency(maxRequests: number): Check {
  /** In order of arrival, which is the order of their deadlines. */
  const waiting = new Map<HandlerResponse, Waiting>()
  let underWay = 0
  let timer: NodeJS.Timeout | undefined

  function begin(res: HandlerResponse): void {
    underWay += 1
    res.on('close', end)
  }

  function end(): void {
    underWay -= 1
    const [next] = waiting.values()
    if (underWay < maxRequests) next?.start()
  }

  function rejectLate(): void {
    for (const { deadlineMs, reject } of waiting.values()) {
      if (deadlineMs > performance.now()) return
      reject()
    }
    clearInterval(timer)
    timer = undefined
  }

  return (req, res) => {
    if (underWay < maxRequests) return begin(res)
    if (waiting.size >= MAX_WAITING) throw overloaded(req)
    timer ??= setInterval(rejectLate, CHECK_INTERVAL_MS)
    return new Promise((resolve, reject) => {
      const leave = () => waiting.delete(res)
      res.once('close', leave)
      const stopWaiting = () => {
        leave()
        res.off('close', leave)
      }
      waiting.set(res, {
        deadlineMs: performance.now() + MAX_WAIT_MS,
        start() {
          stopWaiting()
          begin(res)
          resolve()
        },
        reject() {
          stopWaiting()
          reject(overloaded(req))
        },
      })
    })
  }
}

function overloaded(req: HandlerRequest): HttpError {
  const reason = 'the service has as many requests under way as it can handle'
  return new HttpError('service_unavailable', notAdded(req, reason), { 'Retry-After': '1' })
}
