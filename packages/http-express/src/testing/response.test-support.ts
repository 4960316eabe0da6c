import type { IncomingHttpHeaders } from 'node:http'

/** One response, its body as the text that was sent: a parsed body would hide rounded integers. */
export interface TestResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The same before any decoding, where the connection was not a bare one. */
  readonly bytes?: Buffer
}
