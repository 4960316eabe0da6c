import type { Scope } from '@pet-store/access'
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi'
import type { Method } from '../checks/methods.ts'
import type { Resource } from './tags.ts'

/**
 * Declares one operation under `/v1`. Its route, the parsing of its parameters and body, and its
 * published description are made from this declaration; the tests check every response against it.
 */
export interface Declaration {
  readonly method: Method
  /** Below the base address, with parameters as `{name}`. */
  readonly path: `/${Resource}` | `/${Resource}/${string}`
  /** What the API key must be allowed to do, else 403. */
  readonly scope: Scope
  readonly stability: 'stable' | 'beta' | 'experimental'
  /** The last day on which a deprecated operation is served, such as `2030-12-05`. */
  readonly sunset?: string
  /** What the OpenAPI description says in addition. */
  readonly published: Published
}

interface Published
  extends Pick<ZodOpenApiOperationObject, 'description' | 'requestParams' | 'requestBody'> {
  readonly summary: string
  /** Its own responses; the responses of every operation are added. */
  readonly responses: Readonly<Record<`${number}`, ZodOpenApiResponseObject>>
}
