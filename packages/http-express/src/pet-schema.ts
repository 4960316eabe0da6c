import { PET_STATUSES } from '@pet-store/domain'
import { z } from 'zod'
import { int64 } from './describe-schema.ts'

const petStatus = z.enum(PET_STATUSES).meta({ id: 'PetStatus', description: 'Whether a pet can be had.' })

/** Points to the published PetStatus, for schemas that read one with their own words for a refusal. */
export const PET_STATUS = { $ref: '#/components/schemas/PetStatus' } as const

/** A pet as it is answered (interface document, section 2). What storage gives back is not judged again. */
export const petSchema: z.ZodObject = z
  .object({
    id: int64('Assigned by the service on creation; never changes and is never given to another pet.'),
    name: z.string().meta({ description: 'As it was sent, letter for letter.' }),
    categoryId: int64('The category that the pet belongs to.'),
    status: petStatus.exactOptional(),
  })
  .meta({ id: 'Pet', description: 'A pet. `status` is left out when nobody gave one; it is never null.' })

/** The answer of listPets: a bare array. */
export const petsSchema: z.ZodArray = z
  .array(petSchema)
  .meta({ id: 'Pets', description: 'Pets by ascending `id`; an empty array when there are none.' })

/** Bodies for the description, which the service takes and gives as they stand. */
export const NEW_PET_EXAMPLE: object = { name: 'Rex', categoryId: 1, status: 'available' }
export const PET_EXAMPLE: object = { id: 1, ...NEW_PET_EXAMPLE }
