import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connection, openConnection, type WireRequest } from '../requests/connection.ts'

export interface OpenLoopOptions {
  readonly port: number
  /** At most this many requests are under way; later ones wait, which counts as latency. */
  readonly connections: number
  /** Taken in turn. */
  readonly requests: readonly WireRequest[]
  readonly requestsPerSecond: number
  readonly durationMs: number
}

export interface OpenLoop {
  /** Until the last response. */
  readonly requestsPerSecond: number
  /** From the planned time to the response, so that a request that could not be sent in time counts as slow. */
  readonly latenciesMs: readonly number[]
  /** From the planned time until it was sent, for requests with a free connection: the error of this client. */
  readonly latenessMs: readonly number[]
  /** How many pets were added. */
  readonly added: number
}

/** Between two looks at the sockets and the plan; Node's own timers have a resolution of a millisecond. */
const SLEEP_MS = 0.1
const SLEEPER = new Int32Array(new SharedArrayBuffer(4))

/** Sends requests at random planned times, however long the responses take. Rejects on the first wrong response. */
export async function sendAtPlannedTimes(options: OpenLoopOptions): Promise<OpenLoop> {
  const { port, requests, requestsPerSecond, durationMs } = options
  const planned = plannedTimes(requestsPerSecond, durationMs)
  const latenciesMs: number[] = []
  const latenessMs: number[] = []
  const idle: Connection[] = []
  let added = 0
  let failure: Error | undefined

  const connections = Array.from({ length: options.connections }, () => openConnection(port))

  function send(connection: Connection, index: number, plannedAt?: number): void {
    const request = requests[index % requests.length] as WireRequest
    connection.send(request, (error) => {
      failure ??= error
      if (request.status === 201) added += 1
      if (plannedAt !== undefined) latenciesMs.push(performance.now() - plannedAt)
      idle.push(connection)
    })
  }

  async function until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      if (failure !== undefined) throw failure
      Atomics.wait(SLEEPER, 0, 0, SLEEP_MS)
      await nextTurn()
    }
  }

  try {
    // The first request on each connection is not measured.
    for (const [index, connection] of connections.entries()) send(connection, index)
    await until(() => idle.length === connections.length)
    const start = performance.now()
    let sent = 0
    let isLate = false
    await until(() => {
      const now = performance.now()
      while (sent < planned.length && start + (planned[sent] as number) <= now) {
        const connection = idle.pop()
        if (connection === undefined) {
          isLate = true
          break
        }
        const plannedAt = start + (planned[sent] as number)
        if (!isLate) latenessMs.push(now - plannedAt)
        send(connection, sent, plannedAt)
        sent += 1
        isLate &&= plannedAt < now - SLEEP_MS
      }
      return latenciesMs.length === planned.length
    })
    return { requestsPerSecond: (planned.length * 1000) / (performance.now() - start), latenciesMs, latenessMs, added }
  } finally {
    for (const { close } of connections) close()
  }
}

/** A Poisson process, as requests of many clients that know nothing of each other. */
function plannedTimes(requestsPerSecond: number, durationMs: number): number[] {
  const times: number[] = []
  const pauseMs = () => (-Math.log(1 - Math.random()) * 1000) / requestsPerSecond
  for (let time = 0; time < durationMs; time += pauseMs()) times.push(time)
  return times
}
