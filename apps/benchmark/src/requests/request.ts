import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type LoadConnection, requestBytes } from '@pet-store/testing'

/** The API key of every request of this run. */
export const API_KEY = createApiKeyText()
export const API_KEY_SHA256 = hashApiKey(API_KEY)

/** A request with its expected response; without a body where that differs each time. */
interface Expectation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
  readonly status: number
  readonly responseBody?: string
}

/** The same, ready to be sent. */
export interface CheckedRequest extends Expectation {
  readonly bytes: string
  /** Bytes of the response's body, where it is the same each time. */
  readonly length: number | undefined
}

export function checkedRequest(expectation: Expectation): CheckedRequest {
  const { responseBody } = expectation
  const length = responseBody === undefined ? undefined : Buffer.byteLength(responseBody)
  return { ...expectation, bytes: requestBytes({ ...expectation, key: API_KEY }), length }
}

/** Resolves with the response; rejects when it is missing, or its status or length is unexpected. */
export function send(
  connection: LoadConnection,
  { method, path, bytes, status, length }: CheckedRequest,
): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(bytes, (response) => {
      if (response === undefined) reject(new Error(`The server closed the connection after ${method} ${path}.`))
      else if (response.status === status && (length ?? response.body.length) === response.body.length) resolve()
      else reject(new Error(`Wrong response to ${method} ${path}:\n${response.head}\n\n${response.body.toString()}`))
    })
  })
}
