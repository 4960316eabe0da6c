import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { clientAddressOf, type TrustProxy } from '../request/client-address.ts'
import type { HttpLog } from '../request/http-log.ts'
import { type Connection, handleConnections } from './connection.ts'
import { createUnroutedErrors, MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from './unrouted-errors.ts'

/** The limits of the server, with their defaults; Node's own fit no API. */
const SERVER_LIMITS = {
  /** For the headers to arrive; later is 408. */
  headersTimeoutMs: 10_000,
  /** For the whole request to arrive; later is 408. */
  requestTimeoutMs: 30_000,
  /** How often these two are checked. */
  checkIntervalMs: 1_000,
  /**
   * How long an idle connection stays open: longer than the 60 s of usual load balancers, so that
   * they close it and not we.
   */
  keepAliveTimeoutMs: 75_000,
  /**
   * How many connections may be open; a further one is closed at once. Each takes some 20 KiB, or
   * 35 with all the header fields of a request that does not end: all fit a container of 512 MB.
   */
  maxConnections: 10_000,
  /**
   * How long a connection may make no progress while its response is produced or sent, for clients
   * that do not read. Longer than the timeouts that have a response; whatever the app waits for
   * must end before.
   */
  stallTimeoutMs: 60_000,
}

export interface PetServerOptions extends Readonly<Partial<typeof SERVER_LIMITS>> {
  /** The same as for the app, for the client's address in log lines. Default: none. */
  readonly trustProxy?: TrustProxy
  /** The same as for the app, for the errors that it does not see. Default: none. */
  readonly corsOrigins?: readonly string[]
}

/** A `node:http` server that can stop without breaking off a request. */
export interface PetServer extends Server {
  /**
   * Stops listening, sends the responses to all requests under way, and resolves when every
   * connection is closed.
   */
  shutDown(): Promise<void>
}

/**
 * Creates an HTTP server for the app. A connection has one request at a time, and errors that Node
 * responds to by itself get the error body and a log line. Does not listen yet.
 */
export function createPetServer(
  app: RequestListener,
  log: HttpLog,
  options: PetServerOptions = {},
): PetServer {
  const { trustProxy = 0, corsOrigins = [], ...limits } = { ...SERVER_LIMITS, ...options }
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // The app checks it: Node's response would lack the error body.
    requireHostHeader: false,
  })
  // Node keeps each field as two strings, which take seven times its bytes. It drops further
  // fields: one more than may be sent, so that nothing is dropped unnoticed.
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1
  server.maxConnections = limits.maxConnections
  server.setTimeout(limits.stallTimeoutMs)
  // Sends responses to clients that have sent everything and closed their side. The property is not
  // documented; a test fails if Node no longer has it.
  Object.assign(server, { httpAllowHalfOpen: true })
  const errors = createUnroutedErrors(log, clientAddressOf(trustProxy), corsOrigins)
  const connections = handleConnections(server, app, errors)
  return Object.assign(server, { shutDown: () => shutDown(server, connections) })
}

/**
 * How long an idle connection stays open after the server stops listening: a request may be on its
 * way.
 */
const IDLE_MS = 1_000
const SWEEP_INTERVAL_MS = 50

/** For how long waiting connections are accepted while further ones keep coming. */
const ACCEPTING_MS = 1_000

/**
 * Accepts the connections that wait in the queue of the system, which are reset when the server
 * stops listening. The event loop accepts one a turn, so the queue is empty after a turn without
 * any. A client that connects just then is still reset: only a balancer that takes the instance out
 * first prevents that.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = false
  const onConnection = () => {
    hasAccepted = true
  }
  server.on('connection', onConnection)
  const deadline = performance.now() + ACCEPTING_MS
  // The first one may be what is left of the present turn, in which nothing more is accepted.
  for (let emptyTurns = 0; emptyTurns < 2 && performance.now() < deadline; ) {
    hasAccepted = false
    await setImmediate()
    emptyTurns = hasAccepted ? 0 : emptyTurns + 1
  }
  server.off('connection', onConnection)
}

async function shutDown(
  server: Server,
  connections: ReadonlyMap<Socket, Connection>,
): Promise<void> {
  const closed = once(server, 'close')
  await acceptWaiting(server)
  // An HTTP server's own `close` also destroys connections without a request under way, at once:
  // those whose next request is on its way, and those whose response has not left yet.
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
  // Ends Node's timer for timeouts, which would keep the server and all that it uses from garbage
  // collection.
  server.close()
}
