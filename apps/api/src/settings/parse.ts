import { isIP } from 'node:net'
import { AccessError, createStaticKeys, type RateLimit, type StaticKey } from '@pet-store/access'
import type { TrustProxy } from '@pet-store/http-express'

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/**
 * Parses a duration such as `90d`, `24h`, `5m` or `0s`; returns milliseconds. Throws a `RangeError`
 * whose message is the rule.
 */
export function parseDuration(text: string, example = '90d'): number {
  const [, count = '', unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit]
  if (unitMs !== undefined) return Number(count) * unitMs
  throw new RangeError(
    `must be a number of at most six digits and a unit: s, m, h or d, such as ${example}`,
  )
}

/**
 * The line feed of a line that was not read as one would be invisible in other messages. The
 * brackets of an IPv6 address belong to URLs.
 */
export function parseHost(text: string): string {
  if (!/[\s[\]]/.test(text)) return text
  throw new RangeError('must be an address or a name, without white space or brackets')
}

export function parseInteger(text: string, min: number, max: number): number {
  const integer = Number(text)
  if (/^[0-9]{1,10}$/.test(text) && integer >= min && integer <= max) return integer
  throw new RangeError(`must be an integer from ${min} to ${max}`)
}

export function parseOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === text)
  if (value !== undefined) return value
  throw new RangeError(`must be one of ${values.join(', ')}`)
}

/** Parses a list separated by commas. White space around entries, and empty ones, are ignored. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** `PUBLIC_URL` without a trailing slash; `undefined` if empty. */
export function parsePublicUrl(text: string): string | undefined {
  if (text === '') return undefined
  // The URL must be written as browsers normalise it, because responses repeat it unchanged.
  const url = URL.canParse(text) ? new URL(text) : undefined
  const known =
    url !== undefined && /^https?:$/.test(url.protocol)
      ? url.origin + url.pathname.replace(/\/+$/, '')
      : ''
  if (known !== '' && known === text.replace(/\/+$/, '') && !known.endsWith('/v1')) return known
  throw new RangeError(
    'must be an http or https URL without a query and without a trailing /v1, such as ' +
      'https://pets.example/shop',
  )
}

/** Parses origins, which must be written as browsers send them, or `*`. */
export function parseOrigins(text: string): readonly string[] {
  const origins = parseList(text)
  const isOrigin = (one: string) =>
    /^https?:/.test(one) && URL.canParse(one) && new URL(one).origin === one
  if (origins.every((origin) => origin === '*' || isOrigin(origin))) return origins
  throw new RangeError('must be * or origins such as https://shop.example, separated by commas')
}

/** Parses the number of trusted proxies, or their addresses. */
export function parseTrustProxy(text: string): TrustProxy {
  if (text === 'false') return 0
  if (/^[0-9]{1,2}$/.test(text)) return Number(text)
  const proxies = parseList(text)
  if (proxies.length > 0 && proxies.every(isNetwork)) return proxies
  // With a network of /0 the header of every client would be trusted.
  throw new RangeError(
    'must be false, a number of proxies, or addresses and networks such as 10.0.0.0/8 (not ' +
      '/0), separated by commas',
  )
}

/** An address, a network such as 10.0.0.0/8, or one of Express's names for private networks. */
function isNetwork(text: string): boolean {
  const [, address = '', bits = '1'] = /^([^/]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text)
  return Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Parses a duration of at most an hour. Beyond 24 days, timers of Node would fire at once. */
export function parseShutdownTime(text: string): number {
  const timeMs = parseDuration(text, '30s')
  if (timeMs <= parseDuration('1h')) return timeMs
  throw new RangeError('must be at most 1h')
}

/** Parses a duration from one second to an hour. With 0, Node would never close a connection. */
export function parseIdleTime(text: string): number {
  const timeMs = parseDuration(text, '75s')
  if (timeMs >= parseDuration('1s') && timeMs <= parseDuration('1h')) return timeMs
  throw new RangeError('must be from 1s to 1h')
}

export function parseCollectorUrl(text: string): string {
  if (text !== '' && !(/^https?:\/\//.test(text) && URL.canParse(text)))
    throw new RangeError('must be a URL that begins with http:// or https://')
  // The path of traces is appended.
  if (/[?#]/.test(text)) throw new RangeError('must have no query')
  return text
}

export function parseRatio(text: string): number {
  const ratio = Number(text)
  if (/^[0-9.]{1,20}$/.test(text) && ratio <= 1) return ratio
  throw new RangeError('must be a number from 0 to 1')
}

export function parseRateLimit(text: string): RateLimit | undefined {
  if (text === '') return undefined
  const [, requests = '', window = ''] = /^([1-9][0-9]{0,8})\/([0-9]+[smhd])$/.exec(text) ?? []
  const windowMs = window === '' ? 0 : parseDuration(window)
  if (windowMs === 0)
    throw new RangeError('must be a number of requests, a slash and a duration, such as 600/1m')
  return { requests: Number(requests), windowMs }
}

export function parseStaticKeys(text: string): readonly StaticKey[] {
  const keys = parseList(text).map((entry) => {
    const [, name, sha256 = ''] = /^(?:([\w.-]{1,64})=)?([0-9a-f]{64})$/i.exec(entry) ?? []
    if (sha256 === '')
      throw new RangeError('must be SHA-256 hashes of 64 hexadecimal digits, separated by commas')
    return { keyId: name ?? `sha256-${sha256.slice(0, 8)}`, sha256: sha256.toLowerCase() }
  })
  try {
    createStaticKeys(keys)
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    throw new RangeError(`must not repeat a key: ${error.message}`)
  }
  return keys
}
