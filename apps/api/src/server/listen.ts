import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * How many connections may wait to be accepted, if the system allows it. With Node's default of
 * 511, a client or a health check that connects at the same time as many others might have to try
 * again after a second, then after three, then after seven.
 */
const BACKLOG = 4_096

/** The address on which a server listens, and the name of the setting that has its port. */
export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly setting: string
  /** Whether other processes may listen on the same port. Default: false. */
  readonly reusePort?: boolean
}

/** Listens on an address and returns it as a URL. Rejects with a message that says what to do. */
export async function listen(server: Server, options: ListenOptions): Promise<string> {
  const { host, port, setting, reusePort = false } = options
  if (!mayListen())
    throw new Error(`Cannot listen on ${host} port ${port}: Node's --permission needs --allow-net.`)
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

/**
 * Whether Node's `--permission` allows it. Node would throw an error that nothing can catch. Older
 * versions allow it without `--allow-net`, which they do not know.
 */
function mayListen(): boolean {
  const isLimited = process.permission && process.allowedNodeEnvironmentFlags.has('--allow-net')
  return !isLimited || process.permission.has('net')
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
