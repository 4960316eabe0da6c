import type { IncomingMessage, ServerResponse } from 'node:http'

/** The requests whose clients wait for `100 Continue`. */
const waiting = new WeakSet<IncomingMessage>()

/** Marks a request whose client waits until `sendContinue` tells it to send its body. */
export function leaveWaiting(req: IncomingMessage): void {
  waiting.add(req)
}

/**
 * Sends `100 Continue` to a client that waits for it. Only under `createPetServer`: without a
 * listener for `checkContinue`, Node has sent it already.
 */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue()
}
