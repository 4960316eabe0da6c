import type { IncomingMessage, ServerResponse } from 'node:http'

/** The requests whose clients wait for `100 Continue`. */
const waiting = new WeakSet<IncomingMessage>()

/** Leaves it to `sendContinue` to tell the client that it may send its body. */
export function leaveWaiting(req: IncomingMessage): void {
  waiting.add(req)
}

/**
 * Sends `100 Continue` to a client that waits for it. Another server than `createPetServer` has
 * sent it already: Node does so where nobody listens to `checkContinue`.
 */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue()
}
