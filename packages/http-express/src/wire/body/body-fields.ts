import type * as z from 'zod'
import { InexactNumber } from '../exact-json.ts'
import { invalidInput } from '../invalid-input.ts'

/**
 * Returns a function that reads the fields of a parsed body. It throws a 400 if the body does not
 * fit the schema. Unknown fields are ignored, or rejected if `isStrict`.
 */
export function fieldsReader<Schema extends z.ZodObject>(
  schema: Schema,
): (body: unknown, isStrict: boolean) => z.output<Schema> {
  const strictSchema = schema.strict()
  return (body, isStrict) => {
    // A body that is a bare number such as `1.5` was parsed to an `InexactNumber`, which is an
    // object only in this program.
    const input = body instanceof InexactNumber ? undefined : body
    const result = (isStrict ? strictSchema : schema).safeParse(input, { reportInput: true })
    if (!result.success) throw invalidInput(result.error)
    return result.data as z.output<Schema>
  }
}
