import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/** The number of proxies in front, or their addresses and networks; Express's `trust proxy`. */
export type TrustProxy = number | readonly string[]

export type ClientAddress = (req: IncomingMessage) => string | undefined

/**
 * The address of the connection, or the one that the trusted proxies give in `X-Forwarded-For`;
 * without a port.
 */
export function clientAddressOf(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === 0) return (req) => req.socket.remoteAddress
  const isInNetworks =
    typeof trustProxy === 'number' ? () => false : proxyAddr.compile([...trustProxy])
  const isTrusted = (address: string, hop: number) =>
    typeof trustProxy === 'number' ? hop < trustProxy : isInNetworks(withoutPort(address), hop)
  // A connection that the client has reset has no address.
  return (req) =>
    req.socket.remoteAddress === undefined ? undefined : withoutPort(proxyAddr(req, isTrusted))
}

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return address.replace(/^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/, '$1$2')
}

/**
 * The address under which a client is counted: the /64 network of an IPv6 address, because one
 * client usually has all of it; an IPv4 address as it is, even when it is written as IPv6. Whatever
 * is not an address counts as one client.
 */
export function clientNetwork(ip = ''): string {
  if (!ipaddr.isValid(ip)) return ''
  const address = ipaddr.process(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')
}
