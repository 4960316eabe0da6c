import { INT64, PET_NAME, PET_STATUSES, type PetInput } from '@pet-store/domain'
import * as z from 'zod'
import { InexactNumber } from '../http/exact-json.ts'
import { parseOrReject, rule } from '../http/request-input.ts'
import { describedAs, INT64_NUMBER } from '../openapi/describe-schema.ts'
import { PET_STATUS } from './pet-schema.ts'

/** ECMAScript's white space, written out because `\\s` differs in other languages. */
const WHITE_SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/** One character that is not in the set, for readers by code points (flag `u`) and by UTF-16 units. */
const characterNotIn = (set: string) => `(?:[^\\u0000\\ud800-\\udfff${set}]|[\\ud800-\\udbff][\\udc00-\\udfff])`

/** `PET_NAME` as one pattern for readers of the description: white space, another character, anything. */
const NAME_PATTERN = `^[${WHITE_SPACE}]*${characterNotIn(WHITE_SPACE)}${characterNotIn('')}*$`

/** The types of a NewPet (interface document, section 2). The domain validates the values: see `validateNewPet`. */
const newPetBody = z
  .object(
    {
      name: describedAs(z.string({ error: rule('must be a string') }), {
        type: 'string',
        minLength: 1,
        maxLength: PET_NAME.maxCodePoints,
        pattern: NAME_PATTERN,
        description: `Stored exactly as sent. At most ${PET_NAME.maxCodePoints} code points, at least one of which is not white space; no NUL.`,
      }),
      // Small integers arrive as numbers, large ones as bigints; see `parseExactJson`.
      categoryId: describedAs(
        z.preprocess(
          (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value),
          z.bigint({ error: rule(`must be an integer from ${INT64.min} to ${INT64.max}`) }),
        ),
        { ...INT64_NUMBER, description: 'The category that the pet belongs to. Its existence is not checked.' },
      ),
      status: describedAs(
        z.enum(PET_STATUSES, { error: rule(`must be one of ${PET_STATUSES.join(', ')}`) }),
        PET_STATUS,
      ).exactOptional(),
    } satisfies Record<keyof PetInput, z.ZodType>,
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'NewPet', description: 'A pet to add. Other fields are ignored.' })

/** For the description. */
export const newPetSchema: z.ZodObject = newPetBody

const strictNewPetBody = newPetBody.strict()

/** Parses the body of createPet. Unknown fields, even an `id`, are ignored, or rejected under strict handling. */
export function readNewPet(body: unknown, isStrict: boolean): PetInput {
  // A bare number such as `1.5` is parsed to an object, but is none on the wire.
  const input = body instanceof InexactNumber ? undefined : body
  return parseOrReject(isStrict ? strictNewPetBody : newPetBody, input)
}
