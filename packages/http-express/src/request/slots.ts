import { type AnyResponse, CONTEXT, type HandlerResponse } from '../response/context.ts'
import { onceLeft } from '../response/response-left.ts'
import { overloaded } from '../response/unavailable.ts'
import type { Check, HandlerRequest } from './handler.ts'

/** How much of the slots the requests of one API key may take, so that others find some free. */
const MAX_SHARE = 4 / 5
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

/** The requests that wait for a slot. */
export interface RequestQueue {
  readonly waiting: number
  /** How many may. */
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
 * Limits how many requests are under way, each until its response has left. The others wait, before
 * any of their body is read. A request that waits too long gets 503, and so does one for which the
 * queue is full. Without such a bound an overloaded service holds more and more requests, and
 * responds to all of them too late. One API key takes four fifths of the slots at most; free slots
 * go to the keys that wait, one after the other.
 */
export function limitSlots(
  maxRequests: number,
  onQueue: (queue: () => RequestQueue) => void = () => {},
): Check {
  const maxOfKey = Math.max(1, Math.floor(maxRequests * MAX_SHARE))
  /** By the id of the API key. */
  const shares = new Map<string, Share>()
  /** Those with requests that wait, the next one first. */
  const turns = new Set<Share>()
  /** In order of arrival, which is the order of their deadlines. */
  const waiting = new Set<Waiting>()
  /**
   * Those that are too many, until they are rejected. Each has a connection of its own, which
   * bounds them.
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
    // At most one key has taken its share while a slot is free, so this looks at two at most.
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
      // It will be rejected: what arrives is dropped.
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
 * Whether the body comes in chunks. Such a request does not wait: Node keeps some 400 bytes for a
 * chunk of one byte, and a packet of 64 KiB has ten thousand of them.
 */
function isChunked({ headers }: HandlerRequest): boolean {
  return headers['transfer-encoding'] !== undefined
}
