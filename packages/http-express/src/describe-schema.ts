import { INT64 } from '@pet-store/domain'
import { z } from 'zod'
import type { oas31 } from 'zod-openapi'

/** JSON Schema that is published as it stands. */
export type Described = oas31.SchemaObject

/** What is said of a parameter besides its schema. */
export type ParameterMeta = {
  readonly description: string
  readonly example?: unknown
}

/**
 * Publishes a schema as this JSON Schema instead of the one that zod finds: for a value that is something else on the
 * wire than in the program, and for rules that others apply. Parsing stays as it is.
 */
export function describedAs<S extends z.ZodType>(schema: S, described: Described, parameter?: ParameterMeta): S {
  const override = ({ jsonSchema }: { jsonSchema: object }) => {
    for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
    Object.assign(jsonSchema, described)
  }
  // One call: zod keeps what several calls say in several places, of which zod-openapi finds one.
  return schema.meta({ override, ...(parameter !== undefined && { param: parameter }) })
}

/** A JSON number with an int64 in it; the bounds are written by `jsonOf`. */
export const INT64_NUMBER = { type: 'integer', format: 'int64' } as const

/** An int64 of an answer. */
export function int64(description: string): z.ZodType<bigint> {
  return describedAs(z.bigint(), { ...INT64_NUMBER, description })
}

/** JSON text of a description. The bounds of int64 are no JavaScript numbers, so they are written digit by digit. */
export function jsonOf(description: object): string {
  return JSON.stringify(description, withBounds, 2)
}

// TypeScript's library does not declare it; every supported Node has it.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function withBounds(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== 'int64') return value
  return { ...value, minimum: rawJSON(`${INT64.min}`), maximum: rawJSON(`${INT64.max}`) }
}
