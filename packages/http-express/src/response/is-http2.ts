import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/**
 * Whether a request came over HTTP/2. Its `httpVersion` does not say so: Node's parser of HTTP/1
 * accepts a request line that ends in `HTTP/2.0`. Nor does a field `stream`, which a middleware may
 * add to a request. Some adapters give their responses no request.
 */
export function isHttp2(
  req: IncomingMessage | Http2ServerRequest | undefined,
): req is Http2ServerRequest {
  const { stream } = (req ?? {}) as Partial<Http2ServerRequest>
  return stream instanceof Object && 'rstCode' in stream
}
