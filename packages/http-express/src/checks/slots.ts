import type { Check, HandlerRequest } from '../request/handler.ts'
import { type AnyResponse, CONTEXT, type HandlerResponse } from '../response/context.ts'
import { onceLeft } from '../response/response-left.ts'
import { overloaded } from '../response/unavailable.ts'

/** The share of the slots that one API key may take, so that other keys find free ones. */
const MAX_SHARE = 4 / 5
/** How long a request waits for a slot. */
const MAX_WAIT_MS = 1_000
/** How many requests may wait at the same time. Their headers are in memory, not their bodies. */
const MAX_WAITING = 4_000
/**
 * How often requests are rejected, and how many at a time. Without this limit, clients that repeat
 * rejected requests at once would keep the event loop busy with reading and rejecting, and it would
 * make no progress with the requests under way.
 */
const REJECT_INTERVAL_MS = 10
const MAX_REJECTED = 50

/** The requests that wait for a slot. */
export interface RequestQueue {
  readonly waiting: number
  /** How many requests may wait at the same time. */
  readonly limit: number
}

/** The requests of one API key. */
interface Share {
  readonly keyId: string
  underWay: number
  /** In order of arrival. */
  readonly waiting: Set<Waiting>
}

interface Waiting {
  readonly start: () => void
  readonly reject: () => void
  deadlineMs: number
}

/**
 * Limits how many requests are under way. A request counts until its response has left. Further
 * requests wait for a slot before any of their body is read; one that waits too long, or finds the
 * queue full, gets 503. Without this limit an overloaded service would hold more and more requests,
 * and respond to all of them too late.
 *
 * One API key may take at most four fifths of the slots. Keys whose requests wait get free slots in
 * turn.
 */
export function limitSlots(
  maxRequests: number,
  onQueue: (queue: () => RequestQueue) => void = () => {},
): Check {
  const maxOfKey = Math.max(1, Math.floor(maxRequests * MAX_SHARE))
  /** By the id of the API key. */
  const shares = new Map<string, Share>()
  /** The keys whose requests wait, in the order in which they get free slots. */
  const turns = new Set<Share>()
  /** In order of arrival, which is the order of their deadlines. */
  const waiting = new Set<Waiting>()
  /**
   * The requests that found the queue full, until they are rejected. Their number is limited by
   * that of connections, because each has its own.
   */
  const excess = new Set<Waiting>()
  let underWay = 0
  let timer: NodeJS.Timeout | undefined

  function shareOf(res: AnyResponse): Share {
    const keyId = res[CONTEXT]?.verifiedKey?.keyId ?? ''
    const known = shares.get(keyId)
    if (known !== undefined) return known
    const share: Share = { keyId, underWay: 0, waiting: new Set() }
    shares.set(keyId, share)
    return share
  }

  function forgetUnused({ keyId, underWay, waiting }: Share): void {
    if (underWay === 0 && waiting.size === 0) shares.delete(keyId)
  }

  function begin(res: HandlerResponse, share: Share): void {
    underWay += 1
    share.underWay += 1
    onceLeft(res, end)
  }

  function end(res: AnyResponse): void {
    const share = shareOf(res)
    underWay -= 1
    share.underWay -= 1
    startNext()
    forgetUnused(share)
  }

  function startNext(): void {
    if (underWay >= maxRequests) return
    // While a slot is free at most one key has its full share, so the loop sees two keys at most.
    for (const share of turns) {
      if (share.underWay >= maxOfKey) continue
      const [next] = share.waiting
      turns.delete(share)
      next?.start()
      if (share.waiting.size > 0) turns.add(share)
      return
    }
  }

  function rejectSome(): void {
    const now = performance.now()
    let rejected = 0
    for (const queue of [waiting, excess]) {
      for (const { deadlineMs, reject } of queue) {
        if (deadlineMs > now || rejected === MAX_REJECTED) break
        rejected += 1
        reject()
      }
    }
    if (waiting.size > 0 || excess.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  function wait(req: HandlerRequest, res: HandlerResponse, share: Share): Promise<void> {
    timer ??= setInterval(rejectSome, REJECT_INTERVAL_MS)
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        deadlineMs: performance.now() + MAX_WAIT_MS,
        start() {
          begin(res, share)
          leave()
          resolve()
        },
        reject() {
          leave()
          reject(overloaded(res, underWay < maxRequests ? 'API key' : 'service'))
        },
      }
      function leave(): void {
        leaveQueue(entry, share)
        excess.delete(entry)
        forgetUnused(share)
      }
      waiting.add(entry)
      share.waiting.add(entry)
      turns.add(share)
      if (waiting.size > MAX_WAITING || isChunked(req)) rejectSoon(entry, share)
      // The request will be rejected, so its body is read and dropped.
      if (isChunked(req)) req.resume()
      onceLeft(res, leave)
    })
  }

  function leaveQueue(entry: Waiting, share: Share): void {
    waiting.delete(entry)
    share.waiting.delete(entry)
    if (share.waiting.size === 0) turns.delete(share)
  }

  function rejectSoon(entry: Waiting, share: Share): void {
    leaveQueue(entry, share)
    entry.deadlineMs = 0
    excess.add(entry)
  }

  onQueue(() => ({ waiting: waiting.size, limit: MAX_WAITING }))
  return (req, res) => {
    const share = shareOf(res)
    if (underWay < maxRequests && share.underWay < maxOfKey) return begin(res, share)
    return wait(req, res, share)
  }
}

/**
 * Whether the body is sent in chunks. Such a request does not wait, because Node needs some 400
 * bytes of memory for a chunk of one byte, and a packet of 64 KiB can have ten thousand of them.
 */
function isChunked({ headers }: HandlerRequest): boolean {
  return headers['transfer-encoding'] !== undefined
}
