import * as z from 'zod'
import { HttpError } from '../response/http-error.ts'
import { describedAs } from './described-as.ts'
import { INT64_NUMBER, readInt64 } from './int64.ts'

/** The path parameter `petId`; `readPetId` reads it. */
export const petIdParameter: z.ZodType = describedAs(z.string(), INT64_NUMBER, {
  description: 'The `id` of the pet. Anything but an int64 in its shortest decimal form is 404.',
  example: 1,
})

/** Reads the id in the path. A text that is no int64 is the id of no pet: 404, not 400. */
export function readPetId({ petId }: Readonly<Record<string, unknown>>): bigint {
  const id = readInt64(String(petId))
  if (id !== undefined) return id
  throw new HttpError('not_found', 'There is no such pet: an id is a 64-bit integer.')
}
