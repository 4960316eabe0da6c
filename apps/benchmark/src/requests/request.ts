import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type LoadConnection, requestBytes } from '@pet-store/testing'

/** The API key of every request of this run. */
export const API_KEY = createApiKeyText()
export const API_KEY_SHA256 = hashApiKey(API_KEY)

/** A request with its expected response; without a body where that differs each time. */
export interface CheckedRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly status: number
  readonly responseBody?: string
}

/** The same as it is sent. */
export interface ReadyRequest {
  readonly bytes: string
  readonly title: string
  readonly status: number
  /** Bytes of the response's body, where it is the same each time. */
  readonly length: number | undefined
}

export function readyRequest(request: CheckedRequest): ReadyRequest {
  const { method, path, body, status, responseBody } = request
  const bytes = requestBytes({ method, path, key: API_KEY, ...(body !== undefined && { body }) })
  const length = responseBody === undefined ? undefined : Buffer.byteLength(responseBody)
  return { bytes, title: `${method} ${path}`, status, length }
}

/** Resolves with the response; rejects when it is missing, or its status or length is unexpected. */
export function send(connection: LoadConnection, { bytes, title, status, length }: ReadyRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(bytes, (response) => {
      if (response === undefined) reject(new Error(`The server closed the connection after ${title}.`))
      else if (response.status === status && (length ?? response.body.length) === response.body.length) resolve()
      else reject(new Error(`Wrong response to ${title}:\n${response.head}\n\n${response.body.toString()}`))
    })
  })
}
