import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { HttpError } from './error-answer.ts'
import type { HttpLog } from './http-log.ts'
import type { Caller } from './require-bearer.ts'
import type { Header } from './security-headers.ts'

declare global {
  namespace Express {
    /** What is known of a request while it is answered. */
    interface Locals {
      requestId: string
      /** Set once the key was found good. */
      caller?: Caller
      /** The route's template, set by the route. */
      route?: string
    }
  }
}

/** Printable ASCII, at most 128 characters; anything else could break a log line or a header. */
const SANE_REQUEST_ID = /^[\x20-\x7e]{1,128}$/

/** The request's own `X-Request-Id` where it is sane, else a new UUID. */
export function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID()
}

/** Gives each request its id, its log line and the headers that every answer carries. Registered first. */
export function openRequest(log: HttpLog, headers: readonly Header[], isBehindProxy: boolean): RequestHandler {
  return (req, res, next) => {
    const start = performance.now()
    const requestId = requestIdOf(req.headers['x-request-id'])
    res.locals.requestId = requestId
    res.setHeader('X-Request-Id', requestId)
    res.setHeader('Cache-Control', 'no-store')
    for (const [name, value] of headers) res.setHeader(name, value)
    // Asked for now: a connection that has broken off knows it no more.
    const clientAddress = isBehindProxy ? req.ip : req.socket.remoteAddress
    res.once('close', () => {
      log.request({
        requestId,
        method: req.method,
        route: res.locals.route,
        status: res.statusCode,
        durationMs: performance.now() - start,
        keyId: res.locals.caller?.keyId,
        clientAddress,
        isComplete: res.writableFinished,
      })
    })
    expectOneHost(req)
    next()
  }
}

/** RFC 9112, 3.2. Our server tells Node not to look for Host, because Node would refuse without the error body. */
function expectOneHost(req: Request): void {
  let hosts = 0
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && req.httpVersion === '1.0')) return
  throw new HttpError('invalid_request', 'The request must have exactly one Host header.', { Connection: 'close' })
}
