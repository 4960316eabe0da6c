import type * as z from 'zod'
import type { oas31 } from 'zod-openapi'

/**
 * Makes the description publish `described` for a schema, instead of the JSON Schema that zod
 * derives. It is for values whose type on the wire differs from that in the program, and for rules
 * that the domain validates. Parsing is not affected.
 */
export function describedAs<S extends z.ZodType>(
  schema: S,
  described: oas31.SchemaObject,
  parameter?: { readonly description: string; readonly example?: unknown },
): S {
  const override = ({ jsonSchema }: { jsonSchema: object }) => {
    for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
    Object.assign(jsonSchema, described)
  }
  // `meta` must be called once: zod would store the results of several calls in several places, of
  // which zod-openapi finds only one.
  return schema.meta({ override, ...(parameter !== undefined && { param: parameter }) })
}
