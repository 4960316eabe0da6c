import { isIP } from 'node:net'
import type { TrustProxy } from '@pet-store/http-express'
import { parseList } from './parse.ts'

/** `PUBLIC_URL` without a trailing slash; `undefined` if empty. */
export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined
  // It must be spelt as browsers normalise it, because responses repeat it as it is.
  const url = URL.canParse(text) ? new URL(text) : undefined
  const known = url !== undefined && /^https?:$/.test(url.protocol) ? url.origin + url.pathname.replace(/\/+$/, '') : ''
  if (known !== '' && known === text.replace(/\/+$/, '') && !known.endsWith('/v1')) return known
  throw new RangeError(
    'must be an http or https URL without a query and without a trailing /v1, such as https://pets.example/shop',
  )
}

/** Origins spelt as browsers send them, or `*`. */
export function parseOrigins(text: string): readonly string[] {
  const origins = parseList(text)
  if (origins.every((origin) => origin === '*' || isOrigin(origin))) return origins
  throw new RangeError('must be * or origins such as https://shop.example, separated by commas')
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** The number of trusted proxies, or their addresses. */
export function parseTrustProxy(text: string): TrustProxy {
  if (text === 'false') return 0
  if (/^[0-9]{1,2}$/.test(text)) return Number(text)
  const proxies = parseList(text)
  if (proxies.length > 0 && proxies.every(isNetwork)) return proxies
  // A network of /0 would trust every client's own header.
  throw new RangeError(
    'must be false, a number of proxies, or addresses and networks such as 10.0.0.0/8 (not /0), separated by commas',
  )
}

/** An address, a network such as 10.0.0.0/8, or one of Express's names for private networks. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)
}
