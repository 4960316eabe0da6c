import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import { PetStoreError } from '../pet-store-error.ts'

/** A request as it arrived. */
interface StubRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type StubResponse = (res: ServerResponse) => void

export interface Stub {
  readonly origin: string
  readonly baseUrl: string
  /** The requests so far. */
  readonly requests: readonly StubRequest[]
}

/**
 * Starts a server that sends these responses in order, and the last one for every further request.
 */
export async function startStub(...responses: [StubResponse, ...StubResponse[]]): Promise<Stub> {
  const requests: StubRequest[] = []
  const server = createServer((req, res) => {
    const { method, url, headers } = req
    void text(req).then((body) => {
      requests.push({ method, url, headers, body })
      const respond = responses[Math.min(requests.length, responses.length) - 1]
      respond?.(res)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, baseUrl: `${origin}/v1`, requests }
}

/** A response of the service. */
export function json(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): StubResponse {
  return (res) =>
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
}

/** An error response of the service. */
export function error(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): StubResponse {
  return json(status, JSON.stringify({ code, message: `It is ${code}.`, status }), headers)
}

/** An error page of a proxy. */
export function html(status: number, headers: Readonly<Record<string, string>> = {}): StubResponse {
  return (res) =>
    res.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Oh no</h1>')
}

/** Sends a part of the announced body and closes the connection. */
export const breakMidway: StubResponse = (res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
  res.write('[{"id":1,"name":"R', () => res.destroy())
}

/** Sends nothing. */
export const neverRespond: StubResponse = () => {}

/** The `PetStoreError` that this call rejects with. */
export async function rejectionOf(call: Promise<unknown>): Promise<PetStoreError> {
  const reason = await call.catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(PetStoreError)
  return reason as PetStoreError
}
