import { type IRouter, request } from 'express'
import type { HandlerRequest } from '../request/handler.ts'
import type { HandlerResponse } from '../response/context.ts'
import { addVary, sendJson, sendResponse } from '../response/response.ts'
import { openApiJson } from './description-route.ts'
import { addGetRoute } from './get-route.ts'
import { hasLoopbackHost } from './loopback.ts'
import { sendPublic } from './public-content.ts'

/** The pages for browsers, such as `pages` of `@pet-store/pages`. */
export interface Pages {
  /** The page at `/`. */
  store(values: PageValues): Promise<string>
  /** The page at `/docs`, made of the OpenAPI description. */
  reference(values: PageValues, openApiJson: string): Promise<string>
  /** The files that the pages load, at `/docs/{name}`. */
  readonly files: readonly PageFile[]
}

interface PageValues {
  /** A key that the page fills in; may be empty. */
  readonly developmentKey: string
  /** The address of the service for clients, with a slash at its end; empty if it is not known. */
  readonly publicUrl: string
  /** The base address of the API, for readers without JavaScript. */
  readonly address: string
}

interface PageFile {
  readonly name: string
  readonly type: string
  read(): Promise<string>
}

export interface PageOptions {
  /** Default: none. `/` then sends JSON to browsers too, and `/docs` is 404. */
  readonly pages?: Pages | undefined
  /**
   * A key that the pages fill in. Set it only if no other machine can reach the service, because
   * everybody who opens a page gets the key.
   */
  readonly developmentKey?: string | undefined
  /**
   * The address that clients use, without `/v1` and without a slash at its end. If it is set,
   * references are absolute.
   */
  readonly publicUrl?: string | undefined
}

/**
 * The content security policy of the pages, which allows scripts, styles, images and requests of
 * their own origin, and nothing inline.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The response at `/` for programs: where to find the rest, relative to this address. */
const POINTER = JSON.stringify({
  service: 'pet-store',
  api: 'v1',
  description: 'openapi.json',
  docs: 'docs',
  health: 'readyz',
})

/**
 * Adds `/`, `/docs` and the files that these pages load. None needs a key. References are relative,
 * so that they work behind any path prefix.
 */
export function addPageRoutes(app: IRouter, options: PageOptions): void {
  const { pages } = options
  addGetRoute(app, '/', async (req, res) => {
    const withSlash = addressWithSlash(req)
    if (withSlash !== undefined) return sendResponse(res, 308, { Location: withSlash })
    addVary(res, 'Accept')
    const type = request.accepts.call(req, 'application/json', 'text/html')
    if (pages === undefined || type !== 'text/html') return sendJson(res, 200, POINTER)
    sendPage(res, await pages.store(valuesFor(req, options)))
  })
  if (pages === undefined) return

  addGetRoute(app, '/docs', async (req, res) => {
    sendPage(res, await pages.reference(valuesFor(req, options), await openApiJson()))
  })
  for (const { name, type, read } of pages.files) {
    const send = async (req: HandlerRequest, res: HandlerResponse) =>
      sendPublic(req, res, type, await read())
    addGetRoute(app, `/docs/${name}`, send, '/docs/{name}')
  }
}

/**
 * If the app is mounted at a path and was requested without the slash at its end, returns the
 * address with the slash. Without it the relative references of the page would be wrong.
 */
function addressWithSlash(req: HandlerRequest & { originalUrl?: string }): string | undefined {
  const [, path = '/', query = ''] = /^([^?]*)(.*)$/s.exec(req.originalUrl ?? req.url) ?? []
  return path.endsWith('/') ? undefined : `./${path.replace(/.*\//s, '')}/${query}`
}

function valuesFor(
  req: HandlerRequest,
  { developmentKey = '', publicUrl }: PageOptions,
): PageValues {
  // No key for a foreign host name that resolves to this machine (DNS rebinding).
  const isLocal = hasLoopbackHost(req.headers)
  const local = isLocal ? `http://${req.headers.host}` : '…'
  return {
    developmentKey: isLocal ? developmentKey : '',
    // Ends in a slash, so that the browser resolves `v1` below it.
    publicUrl: publicUrl === undefined ? '' : `${publicUrl}/`,
    // Behind a proxy this may be wrong; the script of the page then shows the right address.
    address: `${publicUrl ?? local}/v1`,
  }
}

function sendPage(res: HandlerResponse, html: string): void {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_POLICY,
  }
  sendResponse(res, 200, headers, html)
}
