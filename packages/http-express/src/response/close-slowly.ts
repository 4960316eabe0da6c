import type { Socket } from 'node:net'

/**
 * How long a client may keep sending after a response that closes its connection: time to receive
 * that response.
 */
const LINGER_MS = 1_000

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
    socket.once('end', onEnd)
    timer = setTimeout(() => {
      onEnd()
      socket.destroy()
    }, LINGER_MS)
  })
  socket.resume()
}
