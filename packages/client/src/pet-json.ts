import { assertExact, exactly, integerText } from './exact-json.ts'

/** The availability of a pet. */
export type PetStatus = 'available' | 'pending' | 'sold'

/** A pet to create. */
export interface NewPet {
  readonly name: string
  /** A 64-bit integer; a `number` must be a safe integer, so that nothing is rounded. */
  readonly categoryId: bigint | number
  /** Default: none, which is different from every status. */
  readonly status?: PetStatus | undefined
}

/** A pet as the service returns it. Its integers are exact. */
export interface Pet {
  readonly id: bigint
  readonly name: string
  readonly categoryId: bigint
  /** Absent if the pet was created without one. */
  readonly status?: PetStatus
}

/**
 * The body of a POST. Assembled by hand: not every supported browser can write a `bigint` as JSON.
 */
export function newPetText({ name, categoryId, status }: NewPet): string {
  // JavaScript callers may omit the name; the service then responds with the error.
  const fields: readonly [string, string | undefined][] = [
    ['name', JSON.stringify(name)],
    ['categoryId', integerText('categoryId', categoryId)],
    ['status', JSON.stringify(status)],
  ]
  const present = fields.filter(([, text]) => text !== undefined)
  return `{${present.map(([field, text]) => `"${field}":${text}`).join()}}`
}

/** Reads a pet. Throws for any other text. */
export function readPet(text: string): Pet {
  return petOf(JSON.parse(text, exactly))
}

/** Reads a list of pets. Throws for any other text. */
export function readPets(text: string): Pet[] {
  const body: unknown = JSON.parse(text, exactly)
  if (!Array.isArray(body)) throw new TypeError('The list is not an array.')
  return body.map(petOf)
}

function petOf(body: unknown): Pet {
  const { id, name, categoryId, status } = Object(body) as Record<string, unknown>
  if (typeof name !== 'string') throw new TypeError('name is not a string.')
  if (status !== undefined && typeof status !== 'string')
    throw new TypeError('status is not a string.')
  return {
    id: assertExact('id', id),
    name,
    categoryId: assertExact('categoryId', categoryId),
    ...(status !== undefined && { status: status as PetStatus }),
  }
}
