import { PAGE_LIMIT, PET_STATUSES, type Pet } from '@pet-store/domain'
import * as z from 'zod'
import { int64, rawJSON } from '../openapi/describe-schema.ts'

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

/** A Pet as JSON text (interface document, section 2). An absent status stays absent. */
export function petJson(pet: Pet): string {
  return JSON.stringify(wirePet(pet))
}

/** Pets as JSON text: a bare array. */
export function petsJson(pets: readonly Pet[]): string {
  return JSON.stringify(pets.map(wirePet))
}

/** Only the listed fields are written, so a new field is never published by accident; a missing one does not compile. */
function wirePet({ id, name, categoryId, status }: Pet) {
  return { id: exactNumber(id), name, categoryId: exactNumber(categoryId), status } satisfies Record<keyof Pet, unknown>
}

/** What JSON.stringify writes as all digits of an integer. A number where that is exact: raw text takes ten times as long. */
function exactNumber(integer: bigint): unknown {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : rawJSON(String(integer))
}
