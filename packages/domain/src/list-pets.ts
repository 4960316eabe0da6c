import { INT64, isPetStatus, PET_STATUSES, type Pet, type PetId } from './pet.ts'
import { PetError } from './pet-error.ts'
import type { PetQuery, PetRepository } from './pet-repository.ts'

/** How many pets a page may have (interface document, section 8). */
export const PAGE_LIMIT = { min: 1, max: 100, default: 20 } as const

/** One page of a list. */
export interface PetPage {
  readonly pets: readonly Pet[]
  /** The `after` of the following page; present exactly when there is a following pet. */
  readonly next?: PetId
}

/**
 * Lists pets by ascending id, one page at a time; `limit` is within `PAGE_LIMIT`. Following `next`
 * visits each pet that existed at the start exactly once, even while others are added. Rejects with
 * `pet_query_invalid`.
 */
export type ListPets = (query: PetQuery) => Promise<PetPage>

export function listPetsOf(pets: PetRepository): ListPets {
  return async (query) => {
    const { limit } = query
    validateQuery(query)
    // One pet more than requested tells whether another page follows.
    const found = await pets.list({ ...query, limit: limit + 1 })
    const last = found[limit - 1]
    if (found.length <= limit || last === undefined) return { pets: found }
    return { pets: found.slice(0, limit), next: last.id }
  }
}

/**
 * Iterates over pets by ascending id, each once, reading the following page of `limit` pets
 * (default: 100) when the one before is used up. A pet that is added meanwhile is included if its
 * id is greater than that of the last pet read by then. Throws what `listPets` rejects with.
 */
export async function* allPets(
  listPets: ListPets,
  { status, after, limit = PAGE_LIMIT.max }: Partial<PetQuery> = {},
): AsyncGenerator<Pet, void, undefined> {
  let page = await listPets({ status, after, limit })
  yield* page.pets
  while (page.next !== undefined) {
    page = await listPets({ status, after: page.next, limit })
    yield* page.pets
  }
}

function validateQuery({ limit, status, after }: PetQuery): void {
  if (!Number.isInteger(limit) || limit < PAGE_LIMIT.min || limit > PAGE_LIMIT.max) {
    throw invalid(`limit must be an integer from ${PAGE_LIMIT.min} to ${PAGE_LIMIT.max}`)
  }
  if (status !== undefined && !isPetStatus(status))
    throw invalid(`status must be one of ${PET_STATUSES.join(', ')}`)
  if (
    after !== undefined &&
    (typeof after !== 'bigint' || after < INT64.min || after > INT64.max)
  ) {
    throw invalid(`after must be an integer from ${INT64.min} to ${INT64.max}`)
  }
}

function invalid(message: string): PetError {
  return new PetError('pet_query_invalid', message)
}
