import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'

/** The number of proxies in front, or their addresses and networks; Express's `trust proxy`. */
export type TrustProxy = number | readonly string[]

/** Returns the client's address of a request. */
export type ClientAddress = (req: IncomingMessage) => string | undefined

/** The address of the connection, or the one that the trusted proxies give in `X-Forwarded-For`. */
export function clientAddressOf(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === 0) return (req) => req.socket.remoteAddress
  const isTrusted =
    typeof trustProxy === 'number'
      ? (_address: string, hop: number) => hop < trustProxy
      : proxyAddr.compile([...trustProxy])
  return (req) => proxyAddr(req, isTrusted)
}

const GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * The address under which a client is counted: the /64 network of an IPv6 address, because one client usually has all
 * of it; an IPv4 address as it is, even when it is written as IPv6.
 */
export function clientNetwork(ip = ''): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = tail === undefined ? 0 : GROUPS - before.length - after.length
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  return groups.slice(0, NETWORK_GROUPS).join(':')
}
