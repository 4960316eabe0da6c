import { INT64 } from '@pet-store/domain'
import * as z from 'zod'
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

/** A JSON number that is an int64; `jsonOf` writes the bounds. */
export const INT64_NUMBER = { type: 'integer', format: 'int64' } as const

/** An int64 of a response. */
export function int64(description: string): z.ZodType<bigint> {
  return describedAs(z.bigint(), { ...INT64_NUMBER, description })
}

/**
 * A description as JSON text. JavaScript numbers cannot hold the bounds of int64, so they are
 * written digit by digit.
 */
export function jsonOf(description: object): string {
  return JSON.stringify(description, withBounds, 2)
}

/**
 * A value that `JSON.stringify` writes as this text. Every supported Node has it; TypeScript's
 * library does not declare it.
 */
export const rawJSON: (text: string) => unknown = (
  JSON as unknown as { rawJSON(text: string): unknown }
).rawJSON

function withBounds(_key: string, value: unknown): unknown {
  if (
    typeof value !== 'object' ||
    value === null ||
    !('format' in value) ||
    value.format !== 'int64'
  )
    return value
  return { ...value, minimum: rawJSON(`${INT64.min}`), maximum: rawJSON(`${INT64.max}`) }
}
