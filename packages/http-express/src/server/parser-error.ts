import { STATUS_CODES } from 'node:http'
import { ERROR_STATUS, errorJson, HttpError } from '../http/http-error.ts'

/** What Node's parser and timeouts report. */
export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes in which the error is, as far as they arrived together. */
  readonly rawPacket?: Buffer
  /** How many of them were valid. */
  readonly bytesParsed?: number
}

/** The error response for what Node's parser rejects. */
export function parserError(cause: ParserError, maxHeaderBytes: number): HttpError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const message = `Request line and headers must have at most ${maxHeaderBytes} bytes.`
      return new HttpError('headers_too_large', message, {}, { cause })
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpError('payload_too_large', 'The chunk extensions are too long.', {}, { cause })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError('request_timeout', 'The request did not arrive in time.', {}, { cause })
    default:
      return new HttpError('invalid_request', 'The request is not valid HTTP/1.1.', {}, { cause })
  }
}

/** Whether the rejected request is a HEAD, whose response has no body (RFC 9110, 9.3.2). */
export function isHead({ rawPacket, bytesParsed }: ParserError): boolean {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  const start = parsed.lastIndexOf('HEAD ')
  // The head of another request ends with an empty line, and its body may end with any text.
  return start !== -1 && !parsed.includes('\r\n\r\n', start) && !/[A-Za-z]/.test(parsed[start - 1] ?? '')
}

/** A whole HTTP/1.1 response, for a connection on which Node made no response object. The connection must close after it. */
export function rawErrorResponse(error: HttpError, requestId: string, hasBody: boolean): string {
  const status = ERROR_STATUS[error.code]
  const body = errorJson(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${hasBody ? body : ''}`
}
