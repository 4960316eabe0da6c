import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { type LoadConnection, requestBytes, type WireRequest } from '@pet-store/testing'

/** The API key of every request of this run. */
export const API_KEY = createApiKeyText()
export const API_KEY_SHA256 = hashApiKey(API_KEY)

/** A request that is ready to be sent, with its expected response. */
export interface CheckedRequest extends WireRequest {
  readonly bytes: string
  readonly status: number
  /** Without one any body is right. */
  readonly responseBody: Buffer | undefined
}

export function checkedRequest(
  request: WireRequest,
  status: number,
  responseBody?: string,
): CheckedRequest {
  const bytes = requestBytes({ key: API_KEY, ...request })
  return {
    ...request,
    bytes,
    status,
    responseBody: responseBody === undefined ? undefined : Buffer.from(responseBody),
  }
}

/**
 * Resolves with the response; rejects when it is missing, or not the expected one byte for byte.
 */
export function send(
  connection: LoadConnection,
  { method = 'GET', path, bytes, status, responseBody }: CheckedRequest,
): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.send(bytes, (response) => {
      const isRight =
        response?.status === status && (responseBody ?? response.body).equals(response.body)
      if (isRight) return resolve()
      const received =
        response === undefined ? 'no response' : `${response.head}\n\n${response.body}`
      reject(
        new Error(
          `Wrong response to ${method} ${path}\nexpected: ${status} ` +
            `${responseBody ?? ''}\n\n${received}`,
        ),
      )
    })
  })
}
