import { isIP } from 'node:net'
import type { TrustProxy } from '@pet-store/http-express'

/** The address that the service is published at, without a slash at its end; nothing where none is given. */
export function readPublicUrl(text: string): string | undefined {
  if (text === '') return undefined
  // Written exactly as browsers would write it, so that nothing has to be repaired in answers.
  const url = URL.canParse(text) ? new URL(text) : undefined
  const known = url !== undefined && /^https?:$/.test(url.protocol) ? url.origin + url.pathname.replace(/\/+$/, '') : ''
  if (known !== '' && known === text.replace(/\/+$/, '') && !known.endsWith('/v1')) return known
  throw new RangeError(
    'must be an http or https address without a query and without /v1 at its end, such as https://pets.example/shop',
  )
}

/** Origins exactly as browsers send them, or `*`. */
export function readOrigins(text: string): readonly string[] {
  const origins = readList(text)
  if (origins.every((origin) => origin === '*' || isOrigin(origin))) return origins
  throw new RangeError('must be * or origins such as https://shop.example, with commas between them')
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

/** A number of proxies, or their addresses. */
export function readTrustProxy(text: string): TrustProxy {
  if (text === 'false') return 0
  if (/^[0-9]{1,2}$/.test(text)) return Number(text)
  const proxies = readList(text)
  if (proxies.length > 0 && proxies.every(isNetwork)) return proxies
  throw new RangeError('must be false, a number of proxies, or addresses and networks, with commas between them')
}

/** An address, a network such as 10.0.0.0/8, or one of the names that Express knows for private networks. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return Number(bits) <= (version === 4 ? 32 : 128)
}

function readList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
