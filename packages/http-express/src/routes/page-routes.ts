import { type IRouter, request } from 'express'
import type { HandlerRequest } from '../request/handler.ts'
import { hasLoopbackHost } from '../request/loopback.ts'
import { addGetRoute } from '../request/methods.ts'
import type { HandlerResponse } from '../response/context.ts'
import { addVary, sendJson, sendResponse } from '../response/response.ts'
import { openApiJson, sendPublic } from './description-route.ts'

/** The pages for browsers as text, such as `pages` of `@pet-store/pages`. */
export interface Pages {
  /** The page at `/`. */
  store(values: PageValues): Promise<string>
  /** The page at `/docs`, made of the OpenAPI description. */
  reference(values: PageValues, openApiJson: string): Promise<string>
  /** What the pages load, at `/docs/{name}`. */
  readonly files: readonly PageFile[]
}

interface PageValues {
  /** A key that the page fills in, or empty. */
  readonly developmentKey: string
  /** Where others reach the service, with a slash at its end; empty where that is not known. */
  readonly publicUrl: string
  /** The base address, for readers without JavaScript. */
  readonly address: string
}

interface PageFile {
  readonly name: string
  readonly type: string
  read(): Promise<string>
}

export interface PageOptions {
  /** Default: none. Then `/` is the same for everybody, and there is nothing at `/docs`. */
  readonly pages?: Pages | undefined
  /**
   * A key that the pages fill in: only for a service that only this machine can reach, since
   * everybody who does has the key.
   */
  readonly developmentKey?: string | undefined
  /**
   * The address that clients use, without `/v1` or a slash at its end; makes references absolute.
   */
  readonly publicUrl?: string | undefined
}

/**
 * What the pages need beyond the policy of the API: their own scripts, styles and requests, nothing
 * inline.
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

/** The first page for programs: where to find the rest, relative to this address. */
const POINTER = JSON.stringify({
  service: 'pet-store',
  api: 'v1',
  description: 'openapi.json',
  docs: 'docs',
  health: 'readyz',
})

/**
 * `/`, `/docs` and the files that these pages load. No key needed; references are relative, for any
 * path prefix.
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
 * Where the app is mounted at a path and was requested by that path alone: the address with a
 * slash, from which the references of the page lead on.
 */
function addressWithSlash(req: HandlerRequest & { originalUrl?: string }): string | undefined {
  const [, path = '/', query = ''] = /^([^?]*)(.*)$/s.exec(req.originalUrl ?? req.url) ?? []
  return path.endsWith('/') ? undefined : `./${path.replace(/.*\//s, '')}/${query}`
}

function valuesFor(
  req: HandlerRequest,
  { developmentKey = '', publicUrl }: PageOptions,
): PageValues {
  // A foreign name that resolves to this machine (DNS rebinding) gets no key.
  const isLocal = hasLoopbackHost(req.headers)
  const local = isLocal ? `http://${req.headers.host}` : '…'
  return {
    developmentKey: isLocal ? developmentKey : '',
    // Ends in a slash, so that the browser resolves `v1` below it.
    publicUrl: publicUrl === undefined ? '' : `${publicUrl}/`,
    // The page's script knows the address behind any proxy.
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
