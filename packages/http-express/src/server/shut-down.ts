import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Connection } from './connection.ts'

/** How long an idle connection stays open after the server stops listening: a request may be on its way. */
const IDLE_MS = 1_000
const SWEEP_INTERVAL_MS = 50

/** Stops listening, lets requests finish, and closes idle connections after a while. Resolves when all are closed. */
export async function shutDown(server: Server, connections: ReadonlyMap<Duplex, Connection>): Promise<void> {
  const closed = once(server, 'close')
  // Right after the event loop has accepted connections, so that none is left in the queue of the system.
  await setImmediate()
  // The `close` of an HTTP server destroys idle connections at once, even one whose next request is on its way.
  NetServer.prototype.close.call(server)
  // Not before: a client whose connection is closed while the server listens comes back on a new one.
  for (const connection of connections.values()) connection.stop()
  const abort = new AbortController()
  const sweeping = sweep(server, connections, abort.signal)
  await closed
  abort.abort()
  await sweeping
}

async function sweep(server: Server, connections: ReadonlyMap<Duplex, Connection>, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(IDLE_MS, undefined, { signal })
    for (;;) {
      server.closeIdleConnections()
      // Node does not count these as idle: it gives them the time that a request may take to arrive.
      for (const socket of connections.keys()) if ((socket as Socket).bytesRead === 0) socket.destroy()
      await setTimeout(SWEEP_INTERVAL_MS, undefined, { signal })
    }
  } catch {
    // Aborted: every connection is closed.
  }
}
