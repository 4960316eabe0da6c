import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi'

/**
 * One operation under `/v1`. Its route, the reading of its parameters and body, and its published description come
 * from this one declaration; every answer in the tests is held against it.
 */
export interface Operation<Path extends string = string> extends ZodOpenApiOperationObject {
  readonly method: 'get' | 'post'
  /** Below the base address, with parameters as `{name}`. */
  readonly path: Path
  readonly 'x-stability': 'stable' | 'beta' | 'experimental'
  /** Every answer it gives. `default` stands for those that any request to any server can meet. */
  readonly responses: ZodOpenApiResponsesObject
}

/** The parameters in a path: `/pets/{petId}` has `petId`. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & PathParameters<Rest>
  : Record<never, string>
