import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A request as it came over the wire. */
interface StubRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type StubAnswer = (res: ServerResponse) => void

export interface Stub {
  readonly origin: string
  readonly baseUrl: string
  /** Every request so far. */
  readonly requests: readonly StubRequest[]
}

/** A server that misbehaves as told: one answer for each request, and the last one for all further ones. */
export async function startStub(...answers: [StubAnswer, ...StubAnswer[]]): Promise<Stub> {
  const requests: StubRequest[] = []
  const server = createServer((req, res) => {
    const { method, url, headers } = req
    void text(req).then((body) => {
      requests.push({ method, url, headers, body })
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      answer?.(res)
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

/** An answer of the service. */
export function json(status: number, body: string, headers: Readonly<Record<string, string>> = {}): StubAnswer {
  return (res) => res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
}

/** An error answer of the service. */
export function error(status: number, code: string, headers: Readonly<Record<string, string>> = {}): StubAnswer {
  return json(status, JSON.stringify({ code, message: `It is ${code}.`, status }), headers)
}

/** The page of a proxy. */
export function html(status: number, headers: Readonly<Record<string, string>> = {}): StubAnswer {
  return (res) => res.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end('<h1>Oh no</h1>')
}

/** Half of what was announced, and then the connection breaks. */
export const breakInTheMiddle: StubAnswer = (res) => {
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
  res.write('[{"id":1,"name":"R', () => res.destroy())
}

/** Nothing at all. */
export const staySilent: StubAnswer = () => {}
