import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { type IRouter, request } from 'express'
import type { HandlerRequest } from '../request/handler.ts'
import { addGetRoute } from '../request/methods.ts'
import type { HandlerResponse } from '../response/context.ts'
import { addHeader, sendJson, sendResponse } from '../response/response.ts'
import { openApiJson, sendPublic } from './description-route.ts'
import { fillTemplate, referenceHtml } from './reference-html.ts'

export interface PageOptions {
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

// From the manifest of this package, because a program may be bundled and lie elsewhere.
const FOLDER = join(
  dirname(createRequire(import.meta.url).resolve('@pet-store/http-express/package.json')),
  'pages',
)

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * `/`, `/docs` and the files that these pages load. No key needed; references are relative, for any
 * path prefix.
 */
export function addPageRoutes(app: IRouter, options: PageOptions): void {
  addGetRoute(app, '/', async (req, res) => {
    addHeader(res, 'Vary', 'Accept')
    const type = request.accepts.call(req, 'application/json', 'text/html')
    if (type !== 'text/html') return sendJson(res, 200, POINTER)
    await sendPage(res, 'store', valuesFor(req, options))
  })

  let parts: Readonly<Record<string, string>> | undefined
  addGetRoute(app, '/docs', async (req, res) => {
    parts ??= referenceHtml(await openApiJson())
    await sendPage(res, 'reference', { ...parts, ...valuesFor(req, options) })
  })

  // With the typed client, which `build:pages` bundles.
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(file)]
    if (type === undefined) continue
    const send = async (req: HandlerRequest, res: HandlerResponse) =>
      sendPublic(req, res, type, await readFile(join(FOLDER, file)))
    addGetRoute(app, `/docs/${basename(file)}`, send, '/docs/{name}')
  }
}

function valuesFor(req: HandlerRequest, { developmentKey = '', publicUrl }: PageOptions) {
  const isLocal = isForThisMachine(req)
  const local = isLocal ? `http://${req.headers.host}` : '…'
  return {
    developmentKey: isLocal ? developmentKey : '',
    // Ends in a slash, so that the browser resolves `v1` below it.
    publicUrl: publicUrl === undefined ? '' : `${publicUrl}/`,
    // For readers without JavaScript; the page's script knows the address behind any proxy.
    address: `${publicUrl ?? local}/v1`,
  }
}

/**
 * Whether the page was requested by a local name. A foreign name that resolves to this machine gets
 * no key.
 */
function isForThisMachine(req: HandlerRequest): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(req.headers.host ?? '')
}

async function sendPage(
  res: HandlerResponse,
  name: 'store' | 'reference',
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const html = fillTemplate(await readFile(join(FOLDER, `${name}.html`), 'utf8'), values)
  sendResponse(
    res,
    200,
    { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY },
    html,
  )
}
