import { connect } from 'node:net'
import { API_KEY, type CheckedRequest } from './request.ts'

/** A request as bytes, and what is checked of its response. */
export interface WireRequest {
  readonly bytes: Buffer
  readonly line: string
  readonly status: number
  /** Bytes of the response's body, where it is the same each time. */
  readonly length?: number
}

const TIMEOUT_MS = 30_000
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)/i

export function wireRequest({ method, path, body = '', status, responseBody }: CheckedRequest): WireRequest {
  const line = `${method} ${path}`
  const head = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${API_KEY}`]
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  return { bytes, line, status, ...(responseBody !== undefined && { length: Buffer.byteLength(responseBody) }) }
}

/**
 * Sends requests on one connection, each after the response to the one before, until `next` returns none.
 * Rejects on the first response with an unexpected status or length.
 */
export function sendInTurn(
  port: number,
  next: () => WireRequest | undefined,
  onResponse: (request: WireRequest, sentAt: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let sent: WireRequest | undefined
    let sentAt = 0
    let received: Buffer | undefined

    function sendNext(): void {
      sent = next()
      if (sent === undefined) {
        socket.destroy()
        resolve()
        return
      }
      sentAt = performance.now()
      socket.write(sent.bytes)
    }

    function fail(error: Error): void {
      socket.destroy()
      reject(error)
    }

    socket.on('connect', sendNext)
    socket.on('error', fail)
    socket.on('end', () => fail(new Error(`The server closed the connection after ${sent?.line}.`)))
    socket.setTimeout(TIMEOUT_MS, () => fail(new Error(`No response to ${sent?.line} in ${TIMEOUT_MS} ms.`)))
    socket.on('data', (chunk) => {
      const bytes = received === undefined ? chunk : Buffer.concat([received, chunk])
      const bodyStart = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length
      const head = bodyStart < END_OF_HEAD.length ? undefined : bytes.toString('latin1', 0, bodyStart)
      const length = head === undefined ? 0 : Number(CONTENT_LENGTH.exec(head)?.[1])
      if (head === undefined || bytes.length < bodyStart + length) {
        received = bytes
        return
      }
      received = undefined
      const status = Number(head.slice(9, 12))
      if (status !== sent?.status || bytes.length !== bodyStart + (sent.length ?? length)) {
        fail(new Error(`Wrong response to ${sent?.line}:\n${bytes.toString().slice(0, 2_000)}`))
        return
      }
      onResponse(sent, sentAt)
      sendNext()
    })
  })
}
