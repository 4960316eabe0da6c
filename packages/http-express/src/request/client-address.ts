import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import proxyAddr from 'proxy-addr'

/**
 * The number of proxies before the service, or their addresses and networks, as in Express's
 * setting `trust proxy`.
 */
export type TrustProxy = number | readonly string[]

export type ClientAddress = (req: IncomingMessage) => string | undefined

/**
 * Returns a function that finds the address of a request's client, without a port: the address of
 * the connection, or the one that trusted proxies give in `X-Forwarded-For`.
 */
export function clientAddressOf(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === 0) return ({ socket }: WithoutSocket) => socket?.remoteAddress
  const isInNetworks =
    typeof trustProxy === 'number' ? () => false : proxyAddr.compile([...trustProxy])
  // A connection that the client has reset has no address any more, and adapters for a load
  // balancer of AWS have none.
  const isTrusted = (address: string | undefined, hop: number) =>
    typeof trustProxy === 'number'
      ? hop < trustProxy
      : address !== undefined && isInNetworks(withoutPort(address), hop)
  return ({ headers, socket }: WithoutSocket) => {
    const address = proxyAddr({ headers, socket: socket ?? {} } as IncomingMessage, isTrusted)
    return address && withoutPort(address)
  }
}

/** What some adapters for serverless platforms pass, although the type says otherwise. */
type WithoutSocket = Pick<IncomingMessage, 'headers'> & Partial<Pick<IncomingMessage, 'socket'>>

/** Removes the port that some proxies add: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
function withoutPort(address: string): string {
  return address.replace(/^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/, '$1$2')
}

/**
 * The address by which requests of a client are counted. Of an IPv6 address that is the /64
 * network, because one client usually has all of it. An IPv4 address counts as a whole, even if it
 * is written as IPv6. All texts that are no address count as one client.
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
