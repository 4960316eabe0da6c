import { type Request, type Response, Router } from 'express'
import { enterRoute } from './enter-route.ts'
import { answerOptions, refuseMethod } from './methods.ts'
import { openPageFiles, type PageAsset } from './page-files.ts'
import { sendAnswer, sendJson } from './send-answer.ts'

/** What the pages for people can be told. */
export interface PageOptions {
  /** A key that the reference page uses unasked. For a service on the own machine: whoever reaches the page has the key. */
  readonly developmentKey?: string | undefined
  /** The public address of the service, without a slash at its end. */
  readonly publicUrl?: string | undefined
}

const METHODS = 'GET, HEAD, OPTIONS'

/** What the answers of the API do not need and the pages do: their own scripts, styles and requests, nothing inline. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Where a program finds the rest, relative to the address that it asked. */
const POINTER = JSON.stringify({
  service: 'pet-store',
  api: 'v1',
  description: 'openapi.json',
  docs: 'docs',
  health: 'readyz',
})

/** The first page and the reference page, and what they load. No key needed; references are relative, for any prefix. */
export function pageRoutes({ developmentKey, publicUrl }: PageOptions): Router {
  const files = openPageFiles()
  const router = Router({ caseSensitive: true, strict: true })

  router
    .route('/')
    .all(enterRoute('/'))
    .get(async (req, res) => {
      res.vary('Accept')
      if (req.accepts(['json', 'html']) !== 'html') return sendJson(res, 200, POINTER)
      const address = publicUrl === undefined ? '…/v1' : `${publicUrl}/v1`
      sendPage(res, (await files()).page('welcome', { address }))
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  router
    .route('/docs')
    .all(enterRoute('/docs'))
    .get(async (req, res) => {
      const key = isForThisMachine(req) ? developmentKey : undefined
      sendPage(res, (await files()).page('reference', { developmentKey: key ?? '' }))
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  router
    .route('/docs/:version/:name')
    .all(enterRoute('/docs/{version}/{name}'))
    .all(async (req, res, next) => {
      const { version, assets } = await files()
      const asset = req.params.version === version ? assets.get(req.params.name) : undefined
      if (asset === undefined) next('router')
      else if (req.method === 'GET' || req.method === 'HEAD') sendAsset(req, res, asset)
      else next()
    })
    .options(answerOptions(METHODS))
    .all(refuseMethod(METHODS))

  return router
}

/** Whether the page was asked for by a name of the own machine: a foreign name that was bent to it gets no key. */
function isForThisMachine(req: Request): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(req.headers.host ?? '')
}

function sendPage(res: Response, html: string): void {
  const own = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Content-Security-Policy': PAGE_POLICY,
  }
  sendAnswer(res, 200, own, html)
}

function sendAsset(req: Request, res: Response, asset: PageAsset): void {
  const isGzipped = req.acceptsEncodings('gzip') === 'gzip'
  const body = isGzipped ? asset.gzipped : asset.body
  const own = {
    'Content-Type': asset.type,
    'Content-Length': body.length,
    // The address names the content.
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(isGzipped && { 'Content-Encoding': 'gzip' }),
  }
  sendAnswer(res, 200, own, body)
}
