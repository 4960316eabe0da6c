import { INT64, PET_NAME, PET_STATUSES, type PetInput } from '@pet-store/domain'
import { z } from 'zod'
import { describedAs, INT64_NUMBER } from './describe-schema.ts'
import { InexactNumber } from './exact-json.ts'
import { parseOrRefuse, rule } from './invalid-input.ts'
import { PET_STATUS } from './pet-schema.ts'

/** ECMAScript's white space, spelt out because the `\\s` of other languages is another. */
const WHITE_SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/** A surrogate pair counts as a character, read by code points (flag `u`) or by UTF-16 units. */
const characterNotIn = (set: string) => `(?:[^\\u0000\\ud800-\\udfff${set}]|[\\ud800-\\udbff][\\udc00-\\udfff])`

/** `PET_NAME` as one pattern for readers of the description: white space, a character that is none, anything. */
const NAME_PATTERN = `^[${WHITE_SPACE}]*${characterNotIn(WHITE_SPACE)}${characterNotIn('')}*$`

/** The shape of a NewPet (interface document, section 2). Rules of the values are the domain's: see `validateNewPet`. */
const newPetBody = z
  .object(
    {
      name: describedAs(z.string({ error: rule('must be a string') }), {
        type: 'string',
        minLength: 1,
        maxLength: PET_NAME.maxCodePoints,
        pattern: NAME_PATTERN,
        description: `Kept letter for letter. At most ${PET_NAME.maxCodePoints} code points, at least one of which is not white space; no NUL.`,
      }),
      // Small integers arrive as numbers, large ones as bigints; see `parseExactJson`.
      categoryId: describedAs(
        z.preprocess(
          (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value),
          z.bigint({ error: rule(`must be an integer from ${INT64.min} to ${INT64.max}`) }),
        ),
        { ...INT64_NUMBER, description: 'The category that the pet belongs to. Nothing checks that it exists.' },
      ),
      status: describedAs(
        z.enum(PET_STATUSES, { error: rule(`must be one of ${PET_STATUSES.join(', ')}`) }),
        PET_STATUS,
      ).exactOptional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'NewPet', description: 'A pet to be added. A field that is not listed is ignored.' })

/** For the description. */
export const newPetSchema: z.ZodObject = newPetBody

const strictNewPetBody = newPetBody.strict()

/** Reads the body of createPet. Unknown fields, an `id` too, are ignored, or refused under strict handling. */
export function readNewPet(body: unknown, isStrict: boolean): PetInput {
  // A bare number such as `1.5` reaches us as an object, and is none on the wire.
  const input = body instanceof InexactNumber ? undefined : body
  return parseOrRefuse(isStrict ? strictNewPetBody : newPetBody, input)
}
