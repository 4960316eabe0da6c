import type * as z from 'zod'
import type { oas31 } from 'zod-openapi'

/**
 * Publishes a schema as this JSON Schema instead of the one that zod derives: for a value whose
 * type on the wire differs from its type in the program, and for rules that the domain validates.
 * Parsing is not affected.
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
  // In one call: zod stores the results of several calls in several places, and zod-openapi finds
  // one of them.
  return schema.meta({ override, ...(parameter !== undefined && { param: parameter }) })
}
