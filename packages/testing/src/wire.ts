/** A request as it goes over the wire. */
export interface WireRequest {
  /** Default: GET. */
  readonly method?: string
  readonly path: string
  /** An API key; sent as a bearer key. */
  readonly key?: string | undefined
  /** JSON text. */
  readonly body?: string
  /** Further headers; each replaces a default header of the same name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A response as it came over the wire. */
export interface WireResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The bytes of a well-formed request. */
export function requestBytes({
  method = 'GET',
  path,
  key,
  body,
  headers = {},
}: WireRequest): string {
  const all = {
    Host: '127.0.0.1',
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)/i

/** The first response in received bytes. */
export interface RawResponse {
  readonly status: number
  /** Status line and headers. */
  readonly head: string
  readonly body: Buffer
  /** The number of bytes of the whole response. */
  readonly length: number
}

/** Reads the first response in received bytes; `undefined` while it is incomplete. */
export function readResponse(bytes: Buffer): RawResponse | undefined {
  const headLength = bytes.indexOf(END_OF_HEAD)
  if (headLength === -1) return undefined
  const head = bytes.toString('latin1', 0, headLength)
  const bodyStart = headLength + END_OF_HEAD.length
  const length = bodyStart + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
  if (bytes.length < length) return undefined
  return {
    status: Number(head.split(' ', 2)[1]),
    head,
    body: bytes.subarray(bodyStart, length),
    length,
  }
}

/** The response with its headers parsed and its body as text. */
export function wireResponse({ status, head, body }: RawResponse): WireResponse {
  const headers = head
    .split('\r\n')
    .slice(1)
    .map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  return { status, headers: Object.fromEntries(headers), text: body.toString() }
}
