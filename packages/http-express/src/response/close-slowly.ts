import type { Socket } from 'node:net'

/**
 * How long a client may keep sending after a response that closes its connection: time to receive
 * that response.
 */
const LINGER_MS = 1_000

/**
 * How much a client may send after that: more than a body that it has begun. Beyond it nothing more
 * is read, and its connection may be reset.
 */
const MAX_DISCARDED_BYTES = 262_144

/**
 * Sends what was written and the end of this side, and keeps reading until the client closes its
 * side, or for a while. A connection that is closed with unread bytes is reset, and a reset can
 * overtake the response (RFC 9112, 9.6). `onSent` is called when all was sent, `onEnd` before the
 * connection is destroyed; neither if it breaks before.
 */
export function closeSlowly(
  socket: Socket,
  onSent: () => void = () => {},
  onEnd: () => void = () => {},
): void {
  let timer: NodeJS.Timeout | undefined
  socket.once('close', () => clearTimeout(timer))
  socket.end((error?: Error | null) => {
    if (error) return
    onSent()
    if (socket.readableEnded) {
      onEnd()
      return
    }
    const end = () => {
      onEnd()
      socket.destroy()
    }
    // Before Node's HTTP parser, which takes what it was not given for an error of the connection.
    socket.prependOnceListener('end', end)
    timer = setTimeout(end, LINGER_MS)
  })
  discard(socket)
}

/**
 * Reads without parsing: a body in pieces of one byte would take a second of processor time for
 * each megabyte.
 */
function discard(socket: Socket): void {
  const limit = socket.bytesRead + MAX_DISCARDED_BYTES
  // Also takes the connection from Node's HTTP parser.
  socket.removeAllListeners('data').on('data', () => {
    if (socket.bytesRead > limit) socket.pause()
  })
  socket.resume()
}
