import { setImmediate as nextTurn } from 'node:timers/promises'
import { LoadConnection } from './load-connection.ts'
import { createRandom } from './random.ts'

/** An open loop: requests are sent at planned times, however long the responses take. */
export interface OpenLoopOptions {
  readonly port: number
  /** The bytes of requests, which are sent in turn. */
  readonly requests: readonly string[]
  readonly requestsPerSecond: number
  readonly durationMs: number
  /** The number of connections, and the maximum number of requests under way. */
  readonly connections: number
  /**
   * What to do with a request if every connection is busy: send it later, which counts as latency,
   * or never.
   */
  readonly whenBusy: 'wait' | 'drop'
  /**
   * Whether a client repeats its request at once when it gets 503, until it is served. Default:
   * false.
   */
  readonly repeatsAt503?: boolean
}

/** The result of one request, or of one repetition of it. */
export interface Outcome {
  /** The status of the response; 0 if there was none. */
  readonly status: number
  /** From the planned time of the request to the response. */
  readonly latencyMs: number
  /** From the start of the loop to the response. */
  readonly atMs: number
  readonly hasRetryAfter: boolean
}

export interface OpenLoopResult {
  /** The number of requests that were planned. */
  readonly planned: number
  /** The number of those that were not sent, because every connection was busy. */
  readonly dropped: number
  /** In the order of the responses, without the first one of each connection. */
  readonly outcomes: readonly Outcome[]
  /** The number of all responses with 201, the first ones included. */
  readonly added: number
}

/** The time between two polls. Timers of Node are not used: their resolution is a millisecond. */
const SLEEP_MS = 0.1
const SLEEPER = new Int32Array(new SharedArrayBuffer(4))

/**
 * Sends the requests from this process. The first request of each connection is sent before the
 * loop starts, and not measured.
 */
export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { port, requests, whenBusy, repeatsAt503 = false } = options
  const planned = plannedTimes(options)
  const outcomes: Outcome[] = []
  const all = new Set(Array.from({ length: options.connections }, () => new LoadConnection(port)))
  const idle: LoadConnection[] = []
  let added = 0
  let underWay = 0
  let start = 0

  function send(connection: LoadConnection, index: number, plannedAt?: number): void {
    underWay += 1
    connection.send(requests[index % requests.length] as string, (response) => {
      underWay -= 1
      const status = response?.status ?? 0
      if (status === 201) added += 1
      if (plannedAt !== undefined) {
        const now = performance.now()
        const hasRetryAfter = response !== undefined && /\r\nretry-after:/i.test(response.head)
        outcomes.push({ status, latencyMs: now - plannedAt, atMs: now - start, hasRetryAfter })
      }
      const next = connection.isOpen ? connection : reopened(connection)
      if (status === 503 && repeatsAt503) send(next, index, plannedAt)
      else idle.push(next)
    })
  }

  function reopened(connection: LoadConnection): LoadConnection {
    connection.close()
    all.delete(connection)
    const next = new LoadConnection(port)
    all.add(next)
    return next
  }

  try {
    for (const [index, connection] of [...all].entries()) send(connection, index)
    await pollUntil(() => underWay === 0)
    start = performance.now()
    let next = 0
    let dropped = 0
    await pollUntil(() => {
      const now = performance.now()
      while (next < planned.length && start + (planned[next] as number) <= now) {
        const connection = idle.pop()
        // Continues after the first requests of the connections, so that none is sent twice.
        if (connection !== undefined)
          send(connection, options.connections + next, start + (planned[next] as number))
        else if (whenBusy === 'wait') break
        else dropped += 1
        next += 1
      }
      return next === planned.length && underWay === 0
    })
    return { planned: planned.length, dropped, outcomes, added }
  } finally {
    for (const connection of all) connection.close()
  }
}

async function pollUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    Atomics.wait(SLEEPER, 0, 0, SLEEP_MS)
    await nextTurn()
  }
}

/** Plans the times of a Poisson process, as many independent clients send requests. */
function plannedTimes({ requestsPerSecond, durationMs }: OpenLoopOptions): number[] {
  const random = createRandom(1)
  const times: number[] = []
  const pauseMs = () => (-Math.log(1 - random.next()) * 1000) / requestsPerSecond
  for (let time = 0; time < durationMs; time += pauseMs()) times.push(time)
  return times
}
