import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Program } from '../compose.ts'
import type { Settings } from '../settings/settings.ts'

/** How long a connection may stay idle once nobody new is let in: a request may be on its way. In milliseconds. */
const LINGER_MS = 1_000
const SWEEP_MS = 50

/** Listens, and returns the address; from then on a SIGTERM or SIGINT stops the program in order. */
export async function runServer(program: Program, settings: Settings, log: Logger): Promise<string> {
  // First, so that no client is served by a program that then ends because this port is taken.
  if (program.metricsServer !== undefined) {
    const address = await listen(program.metricsServer, settings.host, settings.metricsPort ?? 0, 'METRICS_PORT')
    log.info({ address: `${address}/metrics` }, 'metrics')
  }
  const url = await listen(program.server, settings.host, settings.port)
  const connections = connectionsOf(program.server)
  // A second signal ends the process at once.
  const options = {
    delay: settings.shutdownTimeoutMs,
    logger: false,
    onSecondError: (err: unknown) => log.fatal({ err }, 'ending at once after a fault'),
    onTimeout: () => log.fatal('ending, since stopping took too long'),
  } as const
  closeWithGrace(options, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after a fault')
    else log.info({ signal }, 'stopping')
    program.stop()
    if (!err) await setTimeout(settings.shutdownDelayMs)
    await stopListening(program.server, connections)
    await program.close()
    log.info('stopped')
  })
  return url
}

/** Listens on an address, and returns it as a URL. Rejects with a sentence on what to do. */
export async function listen(server: Server, host: string, port: number, setting = 'PORT'): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${listenFault(cause, setting)}`, { cause })
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function listenFault(cause: unknown, setting: string): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `something listens there already. Stop it, or set ${setting} to another number.`
  if (code === 'EACCES') return `this port needs more rights. Set ${setting} to 1024 or more.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such address. Set HOST to another.'
  return message
}

/** The connections that are open, from now on. */
function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

/** Takes no new connections, lets running requests finish, and drops idle connections after a while. */
async function stopListening(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  // Right after new connections were taken, so that none is left waiting at a closed door.
  await setImmediate()
  // The `close` of an HTTP server drops idle connections at once, also one on which a request is on its way.
  NetServer.prototype.close.call(server)
  // From now on, and not before: a client whose connection is closed while we listen comes back on a new one.
  server.prependListener('request', (_req, res) => {
    res.shouldKeepAlive = false
  })
  for (const socket of connections) closeAfterAnswer(socket)
  const clock = new AbortController()
  const sweeping = sweep(server, connections, clock.signal)
  await closed
  clock.abort()
  await sweeping
}

/** What Node notes of a connection, under names that http-terminator relies on too. Without them nothing is announced. */
interface ServedSocket extends Socket {
  /** The answer that is under way. */
  readonly _httpMessage?: ServerResponse | null
  /** `incoming` is the latest request. */
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
}

/** Lets the answer to the request that runs say `Connection: close`; not if another one waits behind it for its turn. */
function closeAfterAnswer({ _httpMessage: answer, parser }: ServedSocket): void {
  if (answer && answer.req === parser?.incoming) answer.shouldKeepAlive = false
}

async function sweep(server: Server, connections: ReadonlySet<Socket>, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(LINGER_MS, undefined, { signal })
    for (;;) {
      server.closeIdleConnections()
      // For Node these are not idle: it would give them the time that it gives a request to arrive.
      for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
      await setTimeout(SWEEP_MS, undefined, { signal })
    }
  } catch {
    // Everything is closed.
  }
}
