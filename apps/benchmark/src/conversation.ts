import { connect } from 'node:net'
import { API_KEY } from './api-key.ts'
import type { Question } from './operations.ts'

/** A question as bytes, and what is looked at in its answer. */
export interface WireRequest {
  readonly bytes: Buffer
  readonly line: string
  readonly status: number
  /** Bytes of the answer's body, where it is the same each time. */
  readonly length?: number
}

const PATIENCE_MS = 30_000
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)/i

/** A question as it goes over the wire. */
export function wireRequest({ method, path, body = '', status, answer }: Question): WireRequest {
  const line = `${method} ${path}`
  const head = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${API_KEY}`]
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  return { bytes, line, status, ...(answer !== undefined && { length: Buffer.byteLength(answer) }) }
}

/**
 * Sends requests on one connection, each when the one before is answered, until there are no more.
 * Rejects on the first answer of another status or length than expected.
 */
export function converse(
  port: number,
  next: () => WireRequest | undefined,
  onAnswer: (request: WireRequest, sentAt: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let asked: WireRequest | undefined
    let sentAt = 0
    let received: Buffer | undefined

    function ask(): void {
      asked = next()
      if (asked === undefined) {
        socket.destroy()
        resolve()
        return
      }
      sentAt = performance.now()
      socket.write(asked.bytes)
    }

    function fail(error: Error): void {
      socket.destroy()
      reject(error)
    }

    socket.on('connect', ask)
    socket.on('error', fail)
    socket.on('end', () => fail(new Error(`The server closed the connection after ${asked?.line}.`)))
    socket.setTimeout(PATIENCE_MS, () => fail(new Error(`No answer to ${asked?.line} in ${PATIENCE_MS} ms.`)))
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
      if (status !== asked?.status || bytes.length !== bodyStart + (asked.length ?? length)) {
        fail(new Error(`Wrong answer to ${asked?.line}:\n${bytes.toString().slice(0, 2_000)}`))
        return
      }
      onAnswer(asked, sentAt)
      ask()
    })
  })
}
