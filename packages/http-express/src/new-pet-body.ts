import { INT64, PET_STATUSES, type PetDraft } from '@pet-store/domain'
import { z } from 'zod'
import { InexactNumber } from './exact-json.ts'
import { parseOrRefuse, rule } from './invalid-input.ts'

/** The shape of a NewPet (interface document, section 2). Rules of the values are the domain's: see `draftPet`. */
const newPetBody = z.object(
  {
    name: z.string({ error: rule('must be a string') }),
    // Small integers arrive as numbers, large ones as bigints; see `parseExactJson`.
    categoryId: z.preprocess(
      (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value),
      z.bigint({ error: rule(`must be an integer from ${INT64.min} to ${INT64.max}`) }),
    ),
    status: z.enum(PET_STATUSES, { error: rule(`must be one of ${PET_STATUSES.join(', ')}`) }).exactOptional(),
  },
  { error: 'must be a JSON object' },
)

const strictNewPetBody = newPetBody.strict()

/** Reads the body of createPet. Unknown fields, an `id` too, are ignored, or refused under strict handling. */
export function readNewPet(body: unknown, isStrict: boolean): PetDraft {
  // A bare number such as `1.5` reaches us as an object, and is none on the wire.
  const input = body instanceof InexactNumber ? undefined : body
  return parseOrRefuse(isStrict ? strictNewPetBody : newPetBody, input)
}
