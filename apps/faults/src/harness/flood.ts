import { setTimeout } from 'node:timers/promises'
import { Connection, requestBytes, type WireRequest } from './connection.ts'
import type { Service } from './service.ts'

export interface FloodOptions extends WireRequest {
  /** In total. */
  readonly requests: number
  readonly connections: number
  /** How many requests a connection sends before it waits for their responses. Default: 1. */
  readonly pipelined?: number
  /** Whether a client that gets 503 waits for its Retry-After. Default: false. */
  readonly obeysRetryAfter?: boolean
  /** A body that differs from request to request, by its number. */
  readonly bodyOf?: (number: number) => string
}

export interface FloodResult {
  /** How many responses had each status; `0` counts requests whose connection broke. */
  readonly statuses: Readonly<Record<number, number>>
  /** Milliseconds from sending to the response, of requests that were served (below 400). */
  readonly latenciesMs: readonly number[]
  /** Responses 429 and 503 without Retry-After. */
  readonly withoutRetryAfter: number
}

const RESPONSE_TIMEOUT_MS = 30_000

/** Sends many requests over some connections, as fast as responses arrive. */
export async function flood(service: Service, options: FloodOptions): Promise<FloodResult> {
  const { requests, connections, pipelined = 1, obeysRetryAfter = false, bodyOf, ...request } = options
  const statuses: Record<number, number> = {}
  const latenciesMs: number[] = []
  let withoutRetryAfter = 0
  let next = 0

  const bytesOf = (number: number): string =>
    requestBytes({ key: service.key, ...request, ...(bodyOf && { method: 'POST', body: bodyOf(number) }) })
  const fixed = bodyOf === undefined ? bytesOf(0) : undefined

  async function send(): Promise<void> {
    let connection: Connection | undefined
    let received = 0
    while (next < requests) {
      const count = Math.min(pipelined, requests - next)
      let bytes = ''
      for (let number = next; number < next + count; number += 1) bytes += fixed ?? bytesOf(number)
      next += count
      if (connection === undefined || connection.socket.destroyed) {
        connection = await Connection.open(service.port).catch(() => undefined)
        received = 0
      }
      const start = Date.now()
      connection?.write(bytes)
      for (let number = 0; number < count; number += 1) {
        const response = await connection?.response(received, RESPONSE_TIMEOUT_MS)
        if (connection !== undefined && response === undefined && !connection.socket.destroyed) {
          connection.destroy()
          throw new Error(`No response within ${RESPONSE_TIMEOUT_MS} ms: ${JSON.stringify(statuses)} came before.`)
        }
        received += 1
        const status = response?.status ?? 0
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status > 0 && status < 400) latenciesMs.push(Date.now() - start)
        if ((status === 429 || status === 503) && !response?.headers.has('retry-after')) withoutRetryAfter += 1
        if (status === 503 && obeysRetryAfter)
          await setTimeout(Number(response?.headers.get('retry-after') ?? 1) * 1_000)
        if (response === undefined || response.headers.get('connection') === 'close') connection?.destroy()
      }
      // Only the numbers are needed; a long flood would hold every body.
      if (connection !== undefined && received >= 1_000) {
        connection.responses.length = 0
        received = 0
      }
    }
    connection?.destroy()
  }

  await Promise.all(Array.from({ length: connections }, send))
  return { statuses, latenciesMs, withoutRetryAfter }
}

/** The value below which this share of the numbers lies; 0 where there are none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
