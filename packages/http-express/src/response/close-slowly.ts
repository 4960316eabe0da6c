import type { Socket } from 'node:net'

/**
 * How long a connection stays open for reading after its last response was sent, so that the client
 * can receive that response.
 */
const LINGER_MS = 1_000

/**
 * How many bytes are read and dropped in that time. Further bytes are not read, so the connection
 * may be reset. Some proxies (Apache, h2o, Varnish) send all of a body before they read the
 * response, and make a 502 or 503 of a reset: docs/decisions/0014-server.md
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024

/**
 * Closes a connection in steps: sends what was written and the end of this side, then reads until
 * the client closes its side, but for a limited time only. A connection that is closed with unread
 * bytes would be reset, and the reset can overtake the response (RFC 9112, 9.6).
 */
export function closeSlowly(socket: Socket): void {
  let timer: NodeJS.Timeout | undefined
  socket.once('close', () => clearTimeout(timer))
  socket.end((error?: Error | null) => {
    if (error || socket.readableEnded) return
    const destroy = () => void socket.destroy()
    // Must run before the listener of Node's HTTP parser, which was given no bytes meanwhile and
    // would report the end as an error.
    socket.prependOnceListener('end', destroy)
    timer = setTimeout(destroy, LINGER_MS)
  })
  discard(socket)
}

/**
 * Reads and drops bytes without parsing them: parsing a body in chunks of one byte would take a
 * second of processor time for each megabyte.
 */
function discard(socket: Socket): void {
  const limit = socket.bytesRead + MAX_DISCARDED_BYTES
  socket.resume()
  // Node's HTTP parser pauses the connection if nobody reads the body. It lets the operating system
  // deliver bytes again when the socket emits `resume`, in the next tick, and is needed until then.
  process.nextTick(() => {
    // Removing the listeners also detaches the parser from the connection.
    socket.removeAllListeners('data').on('data', () => {
      if (socket.bytesRead > limit) socket.pause()
    })
  })
}
