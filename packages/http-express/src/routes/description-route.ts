import type { IRouter } from 'express'
import { addGetRoute } from '../http/methods.ts'
import { sendJson } from '../http/send-response.ts'
import { describeOperations } from '../openapi/describe-operations.ts'
import { OPERATIONS } from '../pets/operations.ts'

/** The OpenAPI description of everything under `/v1`, as JSON text: the declared operations and nothing else. */
export const OPENAPI_JSON: string = describeOperations(OPERATIONS)

/** `/openapi.json`: the description, for tools; no key needed. */
export function addDescriptionRoute(app: IRouter): void {
  addGetRoute(app, '/openapi.json', (_req, res) => sendJson(res, 200, OPENAPI_JSON))
}
