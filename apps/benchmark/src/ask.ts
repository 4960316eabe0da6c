import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** A question to a contestant. */
export interface PetRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** All of an answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Asks once, on a connection of its own; without a key unless one is given. */
export async function ask(port: number, { method, path, body }: PetRequest, key?: string): Promise<Answer> {
  const headers = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  }
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, headers: response.headers, body: text }
}
