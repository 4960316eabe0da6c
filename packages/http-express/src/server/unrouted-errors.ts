import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientAddress } from '../request/client-address.ts'
import type { HttpLog } from '../request/http-log.ts'
import { requestIdOf } from '../request/request-id.ts'
import { ERROR_STATUS, type ErrorCode, errorJson, HttpError } from '../response/http-error.ts'
import { closeAfter, sendError } from '../response/response.ts'

/** An error of Node's parser, or a timeout. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The last packet, which has the error. */
  readonly rawPacket?: Buffer
  /** How many bytes of the packet were valid. */
  readonly bytesParsed?: number
}

/** The maximum size of request line and headers together. */
export const MAX_HEADER_BYTES = 16_384

/**
 * The maximum number of header fields. Node stores each as two strings, so many small fields take
 * seven times their bytes.
 */
export const MAX_HEADER_FIELDS = 100

/** A request line that is valid, except that its method, a token (RFC 9110, 9.1), is unknown. */
const REQUEST_LINE = /^[\r\n]*[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r\n/

/** The error response to a request that Node's parser has rejected. */
export function parserError(cause: ParserError): HttpError {
  const { code, rawPacket } = cause
  const error = (wireCode: ErrorCode, message: string) =>
    new HttpError(wireCode, message, {}, { cause })
  if (code === 'HPE_HEADER_OVERFLOW') return error('headers_too_large', HEADERS_RULE)
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return error('payload_too_large', 'The chunk extensions are too long.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return error('request_timeout', 'The request did not arrive in time.')
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '')) {
    return error('not_implemented', 'The method of the request is not known.')
  }
  return error('invalid_request', HTTP_RULE)
}

const HTTP_RULE = 'The request is not valid HTTP/1.1.'

const HEADERS_RULE =
  `Request line and headers must have at most ${MAX_HEADER_BYTES} bytes, ` +
  `and at most ${MAX_HEADER_FIELDS} fields.`

/**
 * The error response to a request with too many fields, which not every version of Node rejects.
 */
export const TOO_MANY_FIELDS: HttpError = new HttpError('headers_too_large', HEADERS_RULE)

/** The error response to a request line with HTTP/2.0 or HTTP/0.9, which Node's parser accepts. */
export const UNKNOWN_VERSION: HttpError = new HttpError('invalid_request', HTTP_RULE)

/** Whether the rejected request is a HEAD, whose response has no body (RFC 9110, 9.3.2). */
export function isHead({ rawPacket, bytesParsed }: ParserError): boolean {
  return /^[\r\n]*HEAD /.test(rawPacket?.toString('latin1', 0, bytesParsed) ?? '')
}

/** Responds to requests that the app does not see, and logs them. */
export interface UnroutedErrors {
  /** Sends the error as the response to a request, and closes the connection. */
  send(res: ServerResponse, error: HttpError): void
  /**
   * Returns a whole HTTP/1.1 response, for a request for which Node has made no response object.
   * `req` is absent if the request could not be parsed.
   */
  rawResponse(error: HttpError, socket: Socket, hasBody: boolean, req?: IncomingMessage): string
}

export function createUnroutedErrors(
  log: HttpLog,
  addressOf: ClientAddress,
  origins: readonly string[],
): UnroutedErrors {
  /** Logs a request, and returns the headers of its response. */
  function end(
    code: ErrorCode,
    origin: string | undefined,
    clientAddress: string | undefined,
    req?: IncomingMessage,
  ) {
    const requestId = requestIdOf(req?.headers['x-request-id'])
    log.begin?.()
    const status = ERROR_STATUS[code]
    log.request({
      requestId,
      method: req?.method,
      status,
      code,
      durationMs: 0,
      clientAddress,
      isComplete: true,
    })
    const allowed = origins.find((one) => one === '*' || one === origin)
    return {
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      // With this a web page of an allowed origin can read the error. The origin is known only if
      // its header could be read.
      ...(allowed !== undefined && {
        'Access-Control-Allow-Origin': allowed,
        'Access-Control-Expose-Headers': 'X-Request-Id',
        Vary: 'Origin',
      }),
    }
  }

  return {
    send(res, error) {
      const headers = end(error.code, res.req.headers.origin, addressOf(res.req), res.req)
      closeAfter(res)
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      sendError(res, error)
    },

    rawResponse(error, { remoteAddress }, hasBody, req) {
      const { rawPacket } = (error.cause ?? {}) as ParserError
      const origin =
        req?.headers.origin ??
        /^origin:[ \t]*(\S+)/im.exec(rawPacket?.toString('latin1') ?? '')?.[1]
      const headers = end(
        error.code,
        origin,
        req === undefined ? remoteAddress : addressOf(req),
        req,
      )
      const status = ERROR_STATUS[error.code]
      const body = errorJson(error)
      const head = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        `Date: ${new Date().toUTCString()}`,
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        ...Object.entries(headers).map((header) => header.join(': ')),
      ]
      return `${head.join('\r\n')}\r\n\r\n${hasBody ? body : ''}`
    },
  }
}
