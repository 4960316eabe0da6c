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

/** A connection with at most one request under way. */
export interface Connection {
  /** Calls back after the response, with an error when its status or length is unexpected. */
  send(request: WireRequest, done: (error?: Error) => void): void
  close(): void
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

export function openConnection(port: number): Connection {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  let sent: WireRequest | undefined
  let onDone: (error?: Error) => void = () => {}
  let received: Buffer | undefined

  function fail(error: Error): void {
    socket.destroy()
    onDone(error)
  }

  socket.on('error', fail)
  socket.on('end', () => fail(new Error(`The server closed the connection after ${sent?.line}.`)))
  socket.setTimeout(TIMEOUT_MS, () => fail(new Error(`No response to ${sent?.line} in ${TIMEOUT_MS} ms.`)))
  socket.on('data', (chunk) => {
    const bytes = received === undefined ? chunk : Buffer.concat([received, chunk])
    const bodyStart = bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length
    const hasHead = bodyStart >= END_OF_HEAD.length
    const isExpected = hasHead && Number(bytes.toString('latin1', 9, 12)) === sent?.status
    const length =
      sent?.length ?? (hasHead ? Number(CONTENT_LENGTH.exec(bytes.toString('latin1', 0, bodyStart))?.[1]) : 0)
    if (!hasHead || (isExpected && bytes.length < bodyStart + length)) {
      received = bytes
      return
    }
    received = undefined
    if (isExpected && bytes.length === bodyStart + length) onDone()
    else fail(new Error(`Wrong response to ${sent?.line}:\n${bytes.toString().slice(0, 2_000)}`))
  })
  return {
    send(request, done) {
      sent = request
      onDone = done
      socket.write(request.bytes)
    },
    close: () => socket.destroy(),
  }
}

/** Sends requests on one connection, each after the response to the one before, until `next` returns none. */
export function sendInTurn(
  connection: Connection,
  next: () => WireRequest | undefined,
  onResponse: (request: WireRequest, sentAt: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    function sendNext(): void {
      const request = next()
      if (request === undefined) {
        resolve()
        return
      }
      const sentAt = performance.now()
      connection.send(request, (error) => {
        if (error !== undefined) {
          reject(error)
          return
        }
        onResponse(request, sentAt)
        sendNext()
      })
    }

    sendNext()
  })
}
