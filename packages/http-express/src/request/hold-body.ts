import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { isHttp2 } from '../response/is-http2.ts'

/** The requests whose body was read and put back by `holdBody`. */
const held = new WeakSet<IncomingMessage>()

/** Whether a body that Node counts as read is still there, because `holdBody` has put it back. */
export function isHeld(req: IncomingMessage): boolean {
  return held.has(req)
}

/**
 * Stops reading a body while its request waits, and joins the chunks that have arrived. Node needs
 * some 400 bytes of memory for a chunk of one byte, and a packet of 64 KiB can have ten thousand of
 * them. Returns a function that continues reading.
 */
export function holdBody(req: IncomingMessage): () => void {
  // Joins the chunks now too, because Node may read packets of many connections before the
  // `setImmediate`.
  putTogether(req)
  let isPaused = false
  // Pauses only after Node has handled what it has read, because it would resume the socket then.
  const pausing = setImmediate(() => {
    putTogether(req)
    isPaused = !req.complete && hasOwnSocket(req)
    if (isPaused) req.socket.pause()
  })
  return () => {
    clearImmediate(pausing)
    if (isPaused) req.socket.resume()
  }
}

function putTogether(req: IncomingMessage): void {
  if (!hasOwnSocket(req) || req.readableFlowing !== null) return
  // A body parser of an app around this one has read the body.
  if (req.readableDidRead && !isHeld(req)) return
  const bytes: Buffer | null = req.read()
  if (bytes === null) return
  held.add(req)
  req.unshift(bytes)
}

/**
 * Whether the request has a socket that can be paused: some adapters have none, and requests over
 * HTTP/2 share one.
 */
function hasOwnSocket(req: IncomingMessage): boolean {
  return req.socket instanceof Socket && !isHttp2(req)
}
