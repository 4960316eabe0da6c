import { once } from 'node:events'
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { createApiKeyText, hashApiKey } from '@pet-store/access'

/** The API key of every request of this run. */
export const API_KEY = createApiKeyText()
export const API_KEY_SHA256 = hashApiKey(API_KEY)

/** A request to a contestant. */
export interface PetRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

/** A request with its expected response; without a body where that differs each time. */
export interface CheckedRequest extends PetRequest {
  readonly status: number
  readonly responseBody?: string
}

export interface PetResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends one request, on a connection of its own unless an agent is given; without a key where it is empty. */
export async function send(
  port: number,
  { method, path, body }: PetRequest,
  key = API_KEY,
  agent: Agent | false = false,
): Promise<PetResponse> {
  const headers = {
    ...(key !== '' && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
  }
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode ?? 0, headers: response.headers, body: text }
}
