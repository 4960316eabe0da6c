import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client may go on sending after a response that closes its connection: time to receive that response. */
const LINGER_MS = 1_000

/** Responses that close their connection while the client may still be sending. */
const closing = new WeakSet<ServerResponse>()

/** Those of them that are written, with the time when all of it had left. */
const written = new WeakMap<ServerResponse, number | undefined>()

/** Closes the connection after a response that is not sent yet, whatever else the client sends. */
export function closeAfter(res: ServerResponse): void {
  closing.add(res)
  if (!res.headersSent) res.setHeader('Connection', 'close')
}

/** Whether all of the response is written; it cannot change any more. */
export function isWritten(res: ServerResponse): boolean {
  return res.writableEnded || written.has(res)
}

/** When all of the response had left, for one whose connection is closed; `undefined` if it broke before. */
export function sentAtMs(res: ServerResponse): number | undefined {
  return written.get(res) ?? (res.writableFinished ? performance.now() : undefined)
}

/**
 * Ends a response whose headers have a Content-Length. If it closes the connection while the client may still be sending,
 * it is written whole, but the connection closes slowly: Node would close it with the end of the response.
 */
export function endResponse(res: ServerResponse, body: string | Buffer = '', encoding: BufferEncoding = 'utf8'): void {
  const { req, socket } = res
  if (!closing.has(res) || socket === null) {
    res.end(body, encoding)
    return
  }
  written.set(res, undefined)
  if (body.length > 0 && req.method !== 'HEAD') res.write(body, encoding)
  else res.flushHeaders()
  closeSlowly(socket, () => written.set(res, performance.now()))
  req.resume()
}

/**
 * Sends what was written and the end of this side, and goes on reading until the client closes its side, or for a while.
 * A connection that is closed with unread bytes is reset, and a reset can overtake the response (RFC 9112, 9.6).
 */
export function closeSlowly(socket: Socket, onSent: () => void = () => {}): void {
  let timer: NodeJS.Timeout | undefined
  socket.once('close', () => clearTimeout(timer))
  socket.end(() => {
    onSent()
    timer = setTimeout(() => socket.destroy(), LINGER_MS)
  })
  socket.resume()
}
