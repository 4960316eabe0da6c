import type { IRouter } from 'express'
import { OPERATIONS } from '../operations/operations.ts'
import { addHeader, sendResponse } from '../response/response.ts'
import { addGetRoute } from './get-route.ts'
import { sendPublic } from './public-content.ts'

let description: Promise<string> | undefined

/**
 * The OpenAPI description of the declared operations, as JSON text. It is made when it is requested
 * for the first time, because loading the code for that would take a tenth of the time of a start.
 */
export function openApiJson(): Promise<string> {
  description ??= describe().catch((error: unknown) => {
    // Else a failure that passes, such as too many open files, would last until a restart.
    description = undefined
    throw error
  })
  return description
}

async function describe(): Promise<string> {
  const { describeOperations } = await import('../description/describe-operations.ts')
  return describeOperations(OPERATIONS)
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
