import { PAGE_LIMIT, PET_STATUSES, type Pet } from '@pet-store/domain'
import fastJson, { type Schema } from 'fast-json-stringify'
import { z } from 'zod'
import { createSchema } from 'zod-openapi'
import { int64 } from '../openapi/describe-schema.ts'

const petStatus = z.enum(PET_STATUSES).meta({ id: 'PetStatus', description: 'Whether the pet is available.' })

/** Refers to the published PetStatus, for schemas that parse one with their own error message. */
export const PET_STATUS = { $ref: '#/components/schemas/PetStatus' } as const

/** A pet in a response (interface document, section 2). Stored pets are not validated again. */
export const petSchema: z.ZodObject = z
  .object({
    id: int64('Assigned by the service on creation; never changes and is never given to another pet.'),
    name: z.string().meta({ description: 'Exactly as it was sent.' }),
    categoryId: int64('The category that the pet belongs to.'),
    status: petStatus.exactOptional(),
  } satisfies Record<keyof Pet, z.ZodType>)
  .meta({ id: 'Pet', description: 'A pet. `status` is absent if none was given; it is never null.' })

/** The response of listPets: a bare array. */
export const petsSchema: z.ZodArray = z
  .array(petSchema)
  .max(PAGE_LIMIT.max)
  .meta({ id: 'Pets', description: 'Pets by ascending `id`; an empty array when there are none.' })

/** A request body for the description. */
export const NEW_PET_EXAMPLE: object = { name: 'Rex', categoryId: 1, status: 'available' }

/** The response to it. */
export const PET_EXAMPLE: object = { id: 1, ...NEW_PET_EXAMPLE }

// Compiled from the published schema: several times as fast as JSON.stringify with exact integers, because a bigint is
// written as it is. Only the listed fields are written, so a new field is never published by accident.
const components = { schemas: createSchema(petsSchema).components }
const serializer = (name: string) => fastJson({ $ref: `#/components/schemas/${name}`, components } as Schema)

/** A Pet as JSON text (interface document, section 2). An absent status stays absent. */
export const petJson: (pet: Pet) => string = serializer('Pet')

/** Pets as JSON text: a bare array. */
export const petsJson: (pets: readonly Pet[]) => string = serializer('Pets')
