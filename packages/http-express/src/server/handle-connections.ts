import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { originForm, targetError } from '../request/request-target.ts'
import { HttpError } from '../response/http-error.ts'
import { leaveWaiting } from '../wire/body/expect-continue.ts'
import { Connection } from './connection.ts'
import {
  isHead,
  MAX_HEADER_FIELDS,
  type ParserError,
  parserError,
  TOO_MANY_FIELDS,
  UNKNOWN_VERSION,
  type UnroutedErrors,
} from './unrouted-errors.ts'

/** Passes the events of the server to the app and to `errors`. Returns the open connections. */
export function handleConnections(
  server: Server,
  app: RequestListener,
  errors: UnroutedErrors,
): ReadonlyMap<Socket, Connection> {
  const connections = new Map<Socket, Connection>()
  const onLongPacket = limitLongPackets(connections)
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Connection(socket, errors, onLongPacket))
    socket.once('close', () => connections.delete(socket))
  })

  const add = (req: IncomingMessage, res: ServerResponse, handle: RequestListener) =>
    connections.get(req.socket)?.add(req, res, handle)
  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
      add(req, res, () => errors.send(res, TOO_MANY_FIELDS))
      return
    }
    // Express parses targets with `url.parse`, which Node has deprecated, and which reads
    // `/v1/pets#x` as a path of the API.
    const target = req.url
    req.url = target === '*' ? '/*' : originForm(target)
    const error = req.httpVersionMajor === 1 ? targetError(target, req.method) : UNKNOWN_VERSION
    add(req, res, error === undefined ? app : () => errors.send(res, error))
  }
  server.on('request', onRequest)
  // Without this listener Node would send `100 Continue` at once; `readJsonBody` sends it later.
  server.on('checkContinue', (req, res) => {
    leaveWaiting(req, res)
    onRequest(req, res)
  })
  server.on('checkExpectation', (req, res) => {
    const error = new HttpError(
      'expectation_failed',
      'The only possible expectation is 100-continue.',
    )
    add(req, res, () => errors.send(res, error))
  })
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    // Node no longer listens to this socket. Without these listeners a reset would end the process,
    // and the connection of a stalled client would stay open.
    socket.on('error', () => {})
    socket.on('timeout', () => socket.destroy())
    socket.resume()
    const error = new HttpError('not_found', 'This is not a proxy.')
    connections.get(socket)?.fail(error, true, req)
  })
  server.on('clientError', (cause: ParserError, socket: Socket) => {
    connections.get(socket)?.fail(parserError(cause), !isHead(cause))
  })
  return connections
}

/**
 * Returns a function to call when a packet has more than eight requests that were sent ahead. Only
 * one such packet is read in a turn of the event loop; other connections are paused until the next
 * turn. Node parses a packet of two thousand requests in some 30 ms, into five megabytes, which are
 * freed when its connection is closed at the end of the turn.
 */
function limitLongPackets(connections: ReadonlyMap<Socket, Connection>): () => void {
  return () => {
    // Connections that are paused for another reason stay paused.
    const reading = [...connections.keys()].filter((socket) => !socket.isPaused())
    for (const socket of reading) socket.pause()
    setImmediate(() => {
      for (const socket of reading) socket.resume()
    })
  }
}
