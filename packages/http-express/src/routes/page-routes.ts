import type { IRouter, Request, RequestHandler } from 'express'
import type { Handler, HandlerRequest, HandlerResponse } from '../http/handler.ts'
import { unknownPath } from '../http/http-error.ts'
import { addGetRoute } from '../http/methods.ts'
import { addHeader, sendJson, sendResponse } from '../http/send-response.ts'
import { createPageFiles, type PageAsset } from './page-files.ts'

interface AssetParameters {
  readonly version: string
  readonly name: string
}

/** What the pages show. */
export interface PageOptions {
  /** A key that the pages fill in. For a local service only: everybody who reaches the page has the key. */
  readonly developmentKey?: string | undefined
  /** The public address of the service, without a slash at its end. */
  readonly publicUrl?: string | undefined
}

/** What the pages need beyond the policy of the API: their own scripts, styles and requests, nothing inline. */
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

/** The first page for programs: where to find the rest, relative to this address. */
const POINTER = JSON.stringify({
  service: 'pet-store',
  api: 'v1',
  description: 'openapi.json',
  docs: 'docs',
  health: 'readyz',
})

/** `/`, `/docs` and the files that these pages load. No key needed; references are relative, for any path prefix. */
export function addPageRoutes(app: IRouter, { developmentKey, publicUrl }: PageOptions): void {
  const files = createPageFiles()
  const valuesFor = (req: HandlerRequest) => {
    const isLocal = isForThisMachine(req)
    const local = isLocal ? `http://${req.headers.host}` : '…'
    return {
      developmentKey: isLocal ? (developmentKey ?? '') : '',
      // Ends in a slash, so that the browser resolves `v1` below it.
      publicUrl: publicUrl === undefined ? '' : `${publicUrl}/`,
      // For readers without JavaScript; the page's script knows the address behind any proxy.
      address: `${publicUrl ?? local}/v1`,
    }
  }

  addGetRoute(app, '/', async (req, res) => {
    addHeader(res, 'Vary', 'Accept')
    if (!acceptsHtml(req)) return sendJson(res, 200, POINTER)
    sendPage(res, (await files()).page('store', valuesFor(req)))
  })

  addGetRoute(app, '/docs', async (req, res) => {
    sendPage(res, (await files()).page('reference', valuesFor(req)))
  })

  const assetPath = '/docs/:version/:name'
  const assetOf = async ({ params }: HandlerRequest<AssetParameters>) => {
    const { version, assets } = await files()
    const asset = params.version === version ? assets.get(params.name) : undefined
    if (asset === undefined) throw unknownPath()
    return asset
  }
  // A path without a file is unknown to every method.
  const assertAsset: Handler<AssetParameters> = async (req, _res, next) => {
    await assetOf(req)
    next()
  }
  app.all(assetPath, assertAsset as Handler as RequestHandler)
  const sendAssetOf: Handler<AssetParameters> = async (req, res) => sendAsset(req, res, await assetOf(req))
  addGetRoute(app, assetPath, sendAssetOf, '/docs/{version}/{name}')
}

/** Whether the page was requested by a local name. A foreign name that resolves to this machine gets no key. */
function isForThisMachine(req: HandlerRequest): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(req.headers.host ?? '')
}

/** Whether the client prefers HTML to JSON. */
function acceptsHtml(req: HandlerRequest): boolean {
  return (req as unknown as Request).accepts(['application/json', 'text/html']) === 'text/html'
}

function sendPage(res: HandlerResponse, html: string): void {
  sendResponse(res, 200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY }, html)
}

function sendAsset(req: HandlerRequest, res: HandlerResponse, asset: PageAsset): void {
  const isGzipped = (req as unknown as Request).acceptsEncodings('gzip') === 'gzip'
  const body = isGzipped ? asset.gzipped : asset.body
  const own = {
    'Content-Type': asset.type,
    // The address contains a hash of the content.
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
    ...(isGzipped && { 'Content-Encoding': 'gzip' }),
  }
  sendResponse(res, 200, own, body)
}
