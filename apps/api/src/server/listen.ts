import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * How many connections may wait to be accepted, where the system allows it. Beyond Node's 511 a
 * client, or a health check, that connects simultaneously with many others would try again after a
 * second, then after three, then after seven.
 */
const BACKLOG = 4_096

/** Where a server listens, and the setting that says so. */
export interface Place {
  readonly host: string
  readonly port: number
  readonly setting: string
  /** Whether other processes may listen there too. Default: false. */
  readonly reusePort?: boolean
}

/** Listens on an address and returns it as a URL. Rejects with a sentence on what to do. */
export async function listen(server: Server, place: Place): Promise<string> {
  const { host, port, setting, reusePort = false } = place
  server.listen({ host, port, reusePort, backlog: BACKLOG })
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${listenError(cause, setting)}`, {
      cause,
    })
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`
}

function listenError(cause: unknown, setting: string): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `something listens there already. Stop it, or set ${setting} to another number.`
  if (code === 'ENOTSUP')
    return 'this system cannot share a port. Unset REUSE_PORT, and put a proxy in front.'
  if (code === 'EACCES') return `this port needs more rights. Set ${setting} to 1024 or more.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return 'this machine has no such address. Set HOST to another.'
  return message
}
