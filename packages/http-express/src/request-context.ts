import type { Caller } from './caller.ts'

/** What is known of a request while it is answered: the `locals` of its response. */
export class RequestContext {
  readonly requestId: string
  readonly clientAddress: string | undefined
  readonly begunAt: number = performance.now()
  /** Names and values in turn: the answer is sent with them in one go, which spares a dictionary for each request. */
  readonly headers: (string | number)[]
  /** Set once the key was found good. */
  caller: Caller | undefined = undefined
  /** The route's template, set by the route. */
  route: string | undefined = undefined

  constructor(requestId: string, clientAddress: string | undefined, headers: readonly string[]) {
    this.requestId = requestId
    this.clientAddress = clientAddress
    this.headers = ['X-Request-Id', requestId, 'Cache-Control', 'no-store', ...headers]
  }
}

declare global {
  namespace Express {
    interface Locals extends RequestContext {}
  }
}
