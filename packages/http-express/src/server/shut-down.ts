import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Connection } from './connection.ts'

/** How long an idle connection stays open after the server stops listening: a request may be on its way. */
const IDLE_MS = 1_000
const SWEEP_INTERVAL_MS = 50

/** Stops listening, lets requests finish, and closes idle connections after a while. Resolves when all are closed. */
export async function shutDown(server: Server, connections: ReadonlyMap<Socket, Connection>): Promise<void> {
  const closed = once(server, 'close')
  // Right after the event loop has accepted connections, so that none is left in the queue of the system.
  await setImmediate()
  // An HTTP server's own `close` also destroys connections without a request under way, at once: those whose next request
  // is on its way, and those whose response has not left yet.
  NetServer.prototype.close.call(server)
  // Not before: a client whose connection is closed while the server listens reconnects.
  for (const connection of connections.values()) connection.stop()
  const idleSince = performance.now()
  const sweeping = setInterval(() => {
    if (performance.now() - idleSince < IDLE_MS) return
    for (const [socket, connection] of connections) if (connection.isIdle) socket.destroy()
  }, SWEEP_INTERVAL_MS)
  await closed
  clearInterval(sweeping)
}
