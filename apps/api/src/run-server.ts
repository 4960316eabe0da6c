import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import type { Program } from './compose.ts'

/** How long running requests may take to finish after a signal, in milliseconds. */
const SHUTDOWN_TIMEOUT = 10_000

/** Listens, and returns the address; from then on a SIGTERM or SIGINT stops the program in order. */
export async function runServer(program: Program, host: string, port: number, log: Logger): Promise<string> {
  const url = await listen(program.server, host, port)
  closeWithGrace({ delay: SHUTDOWN_TIMEOUT, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after a fault')
    else log.info({ signal }, 'stopping')
    await stopListening(program.server)
    await program.close()
    log.flush()
  })
  return url
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${listenFault(cause)}`, { cause })
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function listenFault(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return 'something listens there already. Stop it, or set PORT to another number.'
  if (code === 'EACCES') return 'this port needs more rights. Set PORT to 1024 or more.'
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return 'this machine has no such address. Set HOST to another.'
  return message
}

/** Takes no new connections, lets running requests finish, and drops each connection as soon as it has nothing to do. */
async function stopListening(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Closing drops the connections that are idle now; one that becomes idle later would be kept for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  await closed
  clearInterval(sweep)
}
