import { randomUUID } from 'node:crypto'
import { createApiKeyText, hashApiKey } from '@pet-store/access'
import {
  type LoadConnection,
  type RawResponse,
  requestBytes,
  type WireRequest,
} from '@pet-store/testing'

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

let idempotencyKeys = 0

/** The request with an idempotency key, which is a new one each time that `bytes` are read. */
export function withNewKeys(request: CheckedRequest): CheckedRequest {
  const [head = '', tail = ''] = withKey(request, PLACEHOLDER).bytes.split(PLACEHOLDER)
  return {
    ...request,
    get bytes() {
      idempotencyKeys += 1
      return `${head}${RUN}-${idempotencyKeys}${tail}`
    },
  }
}

/** The request with this idempotency key each time: the first creates, the others are repeats. */
export function withKey(request: CheckedRequest, key: string): CheckedRequest {
  const headers = { 'Idempotency-Key': key }
  return { ...request, bytes: requestBytes({ key: API_KEY, ...request, headers }) }
}

/** As long as what the client makes up: a UUID. */
const RUN = randomUUID().slice(0, 28)
const PLACEHOLDER = '{key}'

/** Whether a response says that it stored a pet, and does not repeat an earlier response. */
export function hasAdded({ status, head }: RawResponse): boolean {
  return status === 201 && !/\r\nidempotency-replayed:/i.test(head)
}

/**
 * Resolves with the response; rejects when it is missing, or not the expected one byte for byte.
 */
export function send(
  connection: LoadConnection,
  { method = 'GET', path, bytes, status, responseBody }: CheckedRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    connection.send(bytes, (response) => {
      const isRight =
        response?.status === status && (responseBody ?? response.body).equals(response.body)
      if (isRight) return resolve(response)
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
