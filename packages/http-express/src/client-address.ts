import type { IncomingMessage } from 'node:http'
import proxyAddr from 'proxy-addr'

/** How many proxies stand in front, or which addresses (and networks) they have; Express's `trust proxy`. */
export type TrustProxy = number | readonly string[]

/** Tells where a request came from. */
export type ClientAddress = (req: IncomingMessage) => string | undefined

/** The address of the connection, or what the trusted proxies say of it in `X-Forwarded-For`. */
export function clientAddressOf(trustProxy: TrustProxy): ClientAddress {
  if (trustProxy === 0) return (req) => req.socket.remoteAddress
  const isTrusted =
    typeof trustProxy === 'number'
      ? (_address: string, hop: number) => hop < trustProxy
      : proxyAddr.compile([...trustProxy])
  return (req) => proxyAddr(req, isTrusted)
}
