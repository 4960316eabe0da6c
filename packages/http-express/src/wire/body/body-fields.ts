import type * as z from 'zod'
import { InexactNumber } from '../exact-json.ts'
import { invalidInput } from '../invalid-input.ts'

/**
 * Returns a function that reads the fields of a parsed body, which throws a 400 for one that does
 * not fit the schema. Fields that the schema does not have are ignored, or rejected under strict
 * handling.
 */
export function fieldsReader<Schema extends z.ZodObject>(
  schema: Schema,
): (body: unknown, isStrict: boolean) => z.output<Schema> {
  const strictSchema = schema.strict()
  return (body, isStrict) => {
    // A bare number such as `1.5` is parsed to an object, but is none on the wire.
    const input = body instanceof InexactNumber ? undefined : body
    const result = (isStrict ? strictSchema : schema).safeParse(input, { reportInput: true })
    if (!result.success) throw invalidInput(result.error)
    return result.data as z.output<Schema>
  }
}
