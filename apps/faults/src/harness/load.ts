import {
  LoadConnection,
  type OpenLoopOptions,
  quantile,
  requestBytes,
  runOpenLoopInOwnProcess,
} from '@pet-store/testing'
import type { Service } from './service.ts'

/** The body of a creation. */
export const petBody = (number: number): string =>
  JSON.stringify({ name: `pet-${number}`, categoryId: number })

export interface FloodOptions {
  /** The number of all requests. */
  readonly requests: number
  readonly connections: number
  /** The path to get. Default: creates pets instead. */
  readonly path?: string
  /** Returns the body of a creation with a number. */
  readonly bodyOf?: (number: number) => string
}

export interface FloodResult {
  /** The number of responses with each status; with `0`, of requests whose connection broke. */
  readonly statuses: Readonly<Record<number, number>>
  readonly withoutRetryAfter: number
}

/** Sends many requests over several connections, on each one after the other. */
export async function flood(service: Service, options: FloodOptions): Promise<FloodResult> {
  const { requests, connections, path, bodyOf = petBody } = options
  const outcomes: Outcome[] = []
  let next = 0
  const bytesOf = (number: number): string =>
    path === undefined
      ? createBytes(service.key, bodyOf(number))
      : requestBytes({ path, key: service.key })

  async function send(): Promise<void> {
    let connection = new LoadConnection(service.port)
    while (next < requests) {
      const bytes = bytesOf(next)
      next += 1
      if (!connection.isOpen) connection = new LoadConnection(service.port)
      outcomes.push(
        await new Promise((resolve) =>
          connection.send(bytes, (response) =>
            resolve({
              status: response?.status ?? 0,
              hasRetryAfter: /\r\nretry-after:/i.test(response?.head ?? ''),
            }),
          ),
        ),
      )
    }
    connection.close()
  }

  await Promise.all(Array.from({ length: connections }, send))
  return { statuses: statusesOf(outcomes), withoutRetryAfter: withoutRetryAfter(outcomes) }
}

export interface LoadOptions extends Pick<OpenLoopOptions, 'connections' | 'repeatsAt503'> {
  readonly perSecond: number
  readonly seconds: number
  /** Whether pets are created; otherwise they are listed. */
  readonly creates: boolean
}

export interface LoadResult extends FloodResult {
  /** The number of requests that were planned. */
  readonly planned: number
  /** The number of those that were not sent, because every connection was busy. */
  readonly heldBack: number
  /** Milliseconds from the planned time to the response, of requests that were served. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** Responses per second while requests were sent; later ones do not count. */
  readonly servedPerSecond: number
  readonly rejectedPerSecond: number
  /** Responses per second after the first second, in which clients begin to notice an overload. */
  readonly laterPerSecond: number
}

/** Sends requests at planned times, however the service responds, from the first processor. */
export async function load(service: Service, options: LoadOptions): Promise<LoadResult> {
  const { perSecond, seconds, creates, ...rest } = options
  const requests = creates
    ? Array.from({ length: 1_000 }, (_, number) => createBytes(service.key, petBody(number)))
    : [requestBytes({ path: '/v1/pets?limit=20', key: service.key })]
  const loop = {
    ...rest,
    port: service.port,
    requests,
    requestsPerSecond: perSecond,
    durationMs: seconds * 1_000,
  }
  const { planned, dropped, outcomes } = await runOpenLoopInOwnProcess(
    { ...loop, whenBusy: 'drop' },
    0,
  )
  const served = outcomes.filter(({ status }) => status > 0 && status < 400)
  const inTime = served.filter(({ atMs }) => atMs < seconds * 1_000)
  const rejected = outcomes.filter(({ status, atMs }) => status === 503 && atMs < seconds * 1_000)
  const latenciesMs = served.map(({ latencyMs }) => latencyMs)
  return {
    planned,
    heldBack: dropped,
    statuses: statusesOf(outcomes),
    withoutRetryAfter: withoutRetryAfter(outcomes),
    p50Ms: Math.round(quantile(latenciesMs, 0.5)),
    p99Ms: Math.round(quantile(latenciesMs, 0.99)),
    servedPerSecond: Math.round(inTime.length / seconds),
    rejectedPerSecond: Math.round(rejected.length / seconds),
    laterPerSecond: Math.round(
      inTime.filter(({ atMs }) => atMs >= 1_000).length / Math.max(seconds - 1, 1),
    ),
  }
}

interface Outcome {
  readonly status: number
  readonly hasRetryAfter: boolean
}

function createBytes(key: string, body: string): string {
  return requestBytes({ method: 'POST', path: '/v1/pets', key, body })
}

function statusesOf(outcomes: readonly Outcome[]): Record<number, number> {
  const statuses: Record<number, number> = {}
  for (const { status } of outcomes) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}

/** The number of responses with 429 or 503 that have no Retry-After. */
function withoutRetryAfter(outcomes: readonly Outcome[]): number {
  return outcomes.filter(
    ({ status, hasRetryAfter }) => (status === 429 || status === 503) && !hasRetryAfter,
  ).length
}
