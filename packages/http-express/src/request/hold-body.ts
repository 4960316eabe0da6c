import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/** The requests whose body was put together: Node counts it as read. */
const held = new WeakSet<IncomingMessage>()

/** Whether what Node counts as read of a body is still there. */
export function isHeld(req: IncomingMessage): boolean {
  return held.has(req)
}

/**
 * Reads no more of a body while its request waits, and puts together what has arrived: Node keeps
 * some 400 bytes for a chunk of one byte, and a packet of 64 KiB has ten thousand of them. Returns
 * what ends the pause.
 */
export function holdBody(req: IncomingMessage): () => void {
  // At once: meanwhile the packets of many connections may be read.
  putTogether(req)
  let isPaused = false
  // Once Node has handled what it has read: before that it would resume the socket.
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
  // A parser of an app around this one has read it.
  if (req.readableDidRead && !isHeld(req)) return
  const bytes: Buffer | null = req.read()
  if (bytes === null) return
  held.add(req)
  req.unshift(bytes)
}

/** Not where an adapter has something else, or the requests of HTTP/2 share one. */
function hasOwnSocket(req: IncomingMessage): boolean {
  return req.socket instanceof Socket && req.httpVersionMajor === 1
}
