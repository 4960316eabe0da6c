import type { IncomingMessage, ServerResponse } from 'node:http'
import { contextOf } from '../../response/context.ts'

/** The requests whose clients wait for `100 Continue`. */
const waiting = new WeakSet<IncomingMessage>()

/**
 * Marks a request whose client waits until `sendContinue` tells it to send its body. If another app
 * handles it, that is when it begins to read: Node would have sent `100 Continue` at once.
 */
export function leaveWaiting(req: IncomingMessage, res: ServerResponse): void {
  waiting.add(req)
  req.on('newListener', (name) => {
    const isRead = name === 'data' || name === 'readable'
    if (isRead && contextOf(res) === undefined && !res.headersSent) sendContinue(req, res)
  })
}

/**
 * Sends `100 Continue` to a client that waits for it. Only under `createPetServer`: without a
 * listener for `checkContinue`, Node has sent it already.
 */
export function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (waiting.delete(req)) res.writeContinue()
}
