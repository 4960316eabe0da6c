import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { clientAddressOf, type TrustProxy } from '../request/client-address.ts'
import type { HttpLog } from '../request/http-log.ts'
import type { Connection } from './connection.ts'
import { handleConnections } from './handle-connections.ts'
import { createUnroutedErrors, MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from './unrouted-errors.ts'

/** The limits of the server, with their defaults. Those of Node are not suitable for an API. */
const SERVER_LIMITS = {
  /** How long the headers of a request may take to arrive; beyond it 408. */
  headersTimeoutMs: 10_000,
  /** How long a whole request may take to arrive; beyond it 408. */
  requestTimeoutMs: 30_000,
  /** How often these two limits are checked. */
  checkIntervalMs: 1_000,
  /**
   * How long an idle connection stays open: longer than the usual 60 s of load balancers, so that
   * the load balancer closes it and not the service.
   */
  keepAliveTimeoutMs: 75_000,
  /**
   * How many connections may be open; further ones are closed at once. Each takes some 20 KiB, or
   * 35 KiB with all header fields of an unfinished request, so all fit a container of 512 MB.
   */
  maxConnections: 10_000,
  /**
   * How long a connection may make no progress while its response is produced or sent, such as with
   * a client that does not read. Must be longer than the timeouts above, which have a response, and
   * than anything that the app waits for.
   */
  stallTimeoutMs: 60_000,
}

export interface PetServerOptions extends Readonly<Partial<typeof SERVER_LIMITS>> {
  /** The same as for the app, for the addresses of clients in the log. Default: none. */
  readonly trustProxy?: TrustProxy
  /** The same as for the app, for error responses that the server itself sends. Default: none. */
  readonly corsOrigins?: readonly string[]
}

/** A `node:http` server that can stop without interrupting a request. */
export interface PetServer extends Server {
  /**
   * Stops listening, finishes all requests under way, and resolves when every connection is closed.
   */
  shutDown(): Promise<void>
}

/**
 * Creates an HTTP server for the app. It handles one request at a time on each connection, and
 * gives errors that Node would respond to by itself the error body and a log line. It does not
 * listen yet.
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
    // The app checks the header, because Node's response would lack the error body.
    requireHostHeader: false,
  })
  // Node stores each field as two strings, which take seven times its bytes. It drops fields beyond
  // this number, which is one more than is allowed, so that too many fields are noticed.
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1
  server.maxConnections = limits.maxConnections
  server.setTimeout(limits.stallTimeoutMs)
  // With this property clients that close their side after the request still get its response. It
  // is not documented; a test fails if Node no longer has it.
  Object.assign(server, { httpAllowHalfOpen: true })
  const errors = createUnroutedErrors(log, clientAddressOf(trustProxy), corsOrigins)
  const connections = handleConnections(server, app, errors)
  return Object.assign(server, { shutDown: () => shutDown(server, connections) })
}

/**
 * How long an idle connection stays open after the server stops listening, because a request may be
 * on its way.
 */
const IDLE_MS = 1_000
const SWEEP_INTERVAL_MS = 50

/**
 * How long the server goes on accepting connections that wait, if new ones keep coming; and at
 * least how many turns of the event loop, which may take longer on a busy machine.
 */
const ACCEPTING_MS = 1_000
const ACCEPTING_TURNS = 100

/**
 * Accepts the connections that wait in the queue of the operating system, which would be reset when
 * the server stops listening. The event loop accepts one connection in each turn, so the queue is
 * empty after a turn without any. A client that connects at that very moment is still reset; only a
 * load balancer that takes the instance out first can prevent that.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = false
  const onConnection = () => {
    hasAccepted = true
  }
  server.on('connection', onConnection)
  const deadline = performance.now() + ACCEPTING_MS
  // The first empty turn may be the rest of the current one, in which nothing is accepted any more.
  let emptyTurns = 0
  for (let turn = 0; emptyTurns < 2; turn += 1) {
    if (turn >= ACCEPTING_TURNS && performance.now() >= deadline) break
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
  // `close` of an HTTP server would also destroy every connection without a request under way: one
  // whose next request is on its way, or whose response has not left yet.
  NetServer.prototype.close.call(server)
  // Only after the server has stopped listening: a client whose connection is closed before that
  // would reconnect.
  for (const connection of connections.values()) connection.stop()
  const idleSince = performance.now()
  const sweeping = setInterval(() => {
    if (performance.now() - idleSince < IDLE_MS) return
    for (const [socket, connection] of connections) if (connection.isIdle) socket.destroy()
  }, SWEEP_INTERVAL_MS)
  await closed
  clearInterval(sweeping)
  // Ends Node's timer for timeouts, because of which neither the server nor what it refers to could
  // be garbage-collected.
  server.close()
}
