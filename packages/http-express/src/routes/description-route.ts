import { createHash } from 'node:crypto'
import type { IRouter } from 'express'
import { OPERATIONS } from '../operations/operations.ts'
import type { HandlerRequest } from '../request/handler.ts'
import { addGetRoute } from '../request/methods.ts'
import type { HandlerResponse } from '../response/context.ts'
import { addHeader, sendResponse } from '../response/response.ts'

let description: Promise<string> | undefined

/**
 * The OpenAPI description of the declared operations, as JSON text. It is made when it is requested
 * for the first time, because loading the code for that would take a tenth of the time of a start.
 */
export function openApiJson(): Promise<string> {
  description ??= import('../description/describe-operations.ts').then(({ describeOperations }) =>
    describeOperations(OPERATIONS),
  )
  return description
}

const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The API catalog (RFC 9727), with addresses relative to its own. */
const CATALOG: string = JSON.stringify({
  linkset: [
    {
      anchor: '../v1',
      'service-desc': [{ href: '../openapi.json', type: 'application/json' }],
      'service-doc': [{ href: '../docs', type: 'text/html' }],
      status: [{ href: '../readyz', type: 'application/json' }],
    },
  ],
})

/**
 * Adds `/openapi.json`, the description, and `/.well-known/api-catalog`, by which tools find it.
 * Neither needs a key.
 */
export function addDescriptionRoutes(app: IRouter): void {
  addGetRoute(app, '/openapi.json', async (req, res) =>
    sendPublic(req, res, 'application/json', await openApiJson()),
  )
  addGetRoute(app, '/.well-known/api-catalog', (_req, res) => {
    addHeader(res, 'Link', '<api-catalog>; rel="api-catalog"')
    sendResponse(res, 200, { 'Content-Type': CATALOG_TYPE }, CATALOG)
  })
}

/**
 * Sends public content, which caches may keep but must validate each time, because a new release
 * may have changed it.
 */
export function sendPublic(
  req: HandlerRequest,
  res: HandlerResponse,
  type: string,
  body: string | Buffer,
): void {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const own = { ETag: etag, 'Cache-Control': 'public, no-cache' }
  if (req.headers['if-none-match']?.includes(etag)) sendResponse(res, 304, own)
  else sendResponse(res, 200, { ...own, 'Content-Type': type }, body)
}
