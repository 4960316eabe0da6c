import {
  INT64,
  PAGE_LIMIT,
  PET_NAME,
  PET_STATUSES,
  type Pet,
  type PetInput,
} from '@pet-store/domain'
import * as z from 'zod'
import { fieldsReader } from './body/body-fields.ts'
import { describedAs } from './described-as.ts'
import { INT64_NUMBER, int64 } from './int64.ts'
import { rule } from './invalid-input.ts'
import { rawJSON } from './raw-json.ts'

const petStatus = z
  .enum(PET_STATUSES)
  .meta({ id: 'PetStatus', description: 'The state of the pet: available, pending or sold.' })

/** Refers to the published PetStatus, for schemas that parse one with their own error message. */
export const PET_STATUS = { $ref: '#/components/schemas/PetStatus' } as const

/** A pet in a response (interface document, section 2). Stored pets are not validated again. */
export const petSchema: z.ZodObject = z
  .object({
    id: int64(
      'Assigned by the service on creation; never changes and is never given to another pet.',
    ),
    name: describedAs(z.string(), {
      type: 'string',
      maxLength: PET_NAME.maxCodePoints,
      description: 'Exactly as it was sent.',
    }),
    categoryId: int64('The category that the pet belongs to.'),
    status: petStatus.exactOptional(),
  } satisfies Record<keyof Pet, z.ZodType>)
  .meta({
    id: 'Pet',
    description: 'A pet. `status` is absent if none was given; it is never null.',
  })

export const petsSchema: z.ZodArray = z
  .array(petSchema)
  .max(PAGE_LIMIT.max)
  .meta({ id: 'Pets', description: 'Pets by ascending `id`; an empty array when there are none.' })

export const NEW_PET_EXAMPLE: object = { name: 'Rex', categoryId: 1, status: 'available' }

export const PET_EXAMPLE: object = { id: 1, ...NEW_PET_EXAMPLE }

/** The second pet has no status. */
export const PETS_EXAMPLE: readonly object[] = [PET_EXAMPLE, { id: 2, name: 'Mia', categoryId: 2 }]

/** A Pet as JSON text (interface document, section 2). An absent status stays absent. */
export function petJson(pet: Pet): string {
  return JSON.stringify(wirePet(pet))
}

export function petsJson(pets: readonly Pet[]): string {
  return JSON.stringify(pets.map(wirePet))
}

/**
 * Makes the object that is written as JSON. It lists the fields, so that a new field is never
 * published by accident; the compiler reports one that is missing.
 */
function wirePet({ id, name, categoryId, status }: Pet) {
  return {
    id: exactNumber(id),
    name,
    categoryId: exactNumber(categoryId),
    status,
  } satisfies Record<keyof Pet, unknown>
}

/**
 * Returns a value that `JSON.stringify` writes with all digits of an integer: a number if that is
 * exact, because raw text takes ten times as long.
 */
function exactNumber(integer: bigint): unknown {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : rawJSON(String(integer))
}

/** The white space of ECMAScript, listed because `\\s` means something else in other languages. */
const WHITE_SPACE =
  '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/**
 * A pattern for one character that is not in the set. It works both for code points (flag `u`) and
 * for UTF-16 code units.
 */
const characterNotIn = (set: string) =>
  `(?:[^\\u0000\\ud800-\\udfff${set}]|[\\ud800-\\udbff][\\udc00-\\udfff])`

/**
 * The rules of `PET_NAME` as one pattern, for the description: any white space, one character that
 * is none, then any characters.
 */
const NAME_PATTERN = `^[${WHITE_SPACE}]*${characterNotIn(WHITE_SPACE)}${characterNotIn('')}*$`

/**
 * The types of a NewPet (interface document, section 2). The domain validates the values: see
 * `validateNewPet`.
 */
const newPetBody = z
  .object(
    {
      name: describedAs(z.string({ error: rule('must be a string') }), {
        type: 'string',
        minLength: 1,
        maxLength: PET_NAME.maxCodePoints,
        pattern: NAME_PATTERN,
        description:
          `Stored exactly as sent. At most ${PET_NAME.maxCodePoints} code points, ` +
          'at least one of which is not white space; no NUL.',
      }),
      // Small integers arrive as numbers, large ones as bigints; see `parseExactFields`.
      categoryId: describedAs(
        z.preprocess(
          (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value),
          z.bigint({ error: rule(`must be an integer from ${INT64.min} to ${INT64.max}`) }),
        ),
        {
          ...INT64_NUMBER,
          description: 'The category that the pet belongs to. Its existence is not checked.',
        },
      ),
      status: describedAs(
        z.enum(PET_STATUSES, { error: rule(`must be one of ${PET_STATUSES.join(', ')}`) }),
        PET_STATUS,
      ).exactOptional(),
    } satisfies Record<keyof PetInput, z.ZodType>,
    { error: 'must be a JSON object' },
  )
  .meta({ id: 'NewPet', description: 'A pet to add. Other fields are ignored.' })

export const newPetSchema: z.ZodObject = newPetBody

/**
 * Reads the body of createPet. Unknown fields, even an `id`, are ignored, or rejected under strict
 * handling.
 */
export const readNewPet: (body: unknown, isStrict: boolean) => PetInput = fieldsReader(newPetBody)
