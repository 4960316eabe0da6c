import { expect, it, vi } from 'vitest'
import { allPets, listPetsOf, PAGE_LIMIT } from './list-pets.ts'
import { createMemoryPets } from './memory-pets.ts'
import { PET_STATUSES, type PetId, type PetStatus, validateNewPet } from './pet.ts'
import type { PetQuery, PetRepository } from './pet-repository.ts'

async function petsWith(...statuses: readonly (PetStatus | undefined)[]): Promise<PetRepository> {
  const pets = createMemoryPets()
  for (const status of statuses) {
    await pets.add(validateNewPet({ name: 'Rex', categoryId: 1n, status }))
  }
  return pets
}

function petsOf(count: number): Promise<PetRepository> {
  return petsWith(...Array.from({ length: count }, () => undefined))
}

it('listPets returns all fields of pets by ascending id', async () => {
  const pets = await petsWith('sold', undefined)

  expect((await listPetsOf(pets)({ limit: 20 })).pets).toStrictEqual([
    { id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' },
    { id: 2n, name: 'Rex', categoryId: 1n },
  ])
})

it('listPets starts after the given id, whether or not it exists', async () => {
  const listPets = listPetsOf(await petsOf(3))

  expect((await listPets({ after: 2n, limit: 20 })).pets).toMatchObject([{ id: 3n }])
  expect((await listPets({ after: -5n, limit: 20 })).pets).toHaveLength(3)
  expect(await listPets({ after: 99n, limit: 20 })).toStrictEqual({ pets: [] })
  // Both ends of int64.
  expect((await listPets({ after: -(2n ** 63n), limit: 20 })).pets).toHaveLength(3)
  expect(await listPets({ after: 2n ** 63n - 1n, limit: 20 })).toStrictEqual({ pets: [] })
})

it.each([
  { count: 1, limit: 1, next: undefined },
  { count: 2, limit: 1, next: 1n },
  { count: 4, limit: 5, next: undefined },
  { count: 100, limit: 100, next: undefined },
  { count: 101, limit: 100, next: 100n },
])(
  'a list of $count pets with a limit of $limit has next $next',
  async ({ count, limit, next }) => {
    const page = await listPetsOf(await petsOf(count))({ limit })

    expect(page.pets).toHaveLength(Math.min(count, limit))
    expect(page.next).toBe(next)
    expect(Object.hasOwn(page, 'next')).toBe(next !== undefined)
  },
)

it('listPets sets next only when another pet with the status follows', async () => {
  const listPets = listPetsOf(await petsWith('sold', 'available', 'sold', 'pending', undefined))

  expect(await listPets({ after: 1n, limit: 2 })).toMatchObject({
    pets: [{ id: 2n }, { id: 3n }],
    next: 3n,
  })
  expect(await listPets({ after: 3n, limit: 2 })).not.toHaveProperty('next')
  expect(await listPets({ status: 'sold', limit: 1 })).toMatchObject({
    pets: [{ id: 1n }],
    next: 1n,
  })
  expect(await listPets({ status: 'sold', limit: 2 })).not.toHaveProperty('next')
})

it.each(PET_STATUSES)('listPets returns only pets that are %s', async (status) => {
  const { pets } = await listPetsOf(await petsWith(...PET_STATUSES, undefined))({
    status,
    limit: 20,
  })

  expect(pets.map((pet) => pet.status)).toEqual([status])
})

it('PAGE_LIMIT has the values of the interface document', () => {
  expect(PAGE_LIMIT).toEqual({ min: 1, max: 100, default: 20 })
})

it.each([0, -0, -1, 101, 1.5, Number.NaN, Infinity, undefined, null, '20', 20n])(
  'listPets rejects a limit of %o',
  async (limit) => {
    const error = {
      name: 'PetError',
      code: 'pet_query_invalid',
      message: 'limit must be an integer from 1 to 100',
    }
    await expect(listPetsOf(createMemoryPets())({ limit: limit as number })).rejects.toMatchObject(
      error,
    )
  },
)

async function idsOfAllPages(
  pets: PetRepository,
  limit: number,
  meanwhile?: () => Promise<unknown>,
): Promise<PetId[]> {
  const listPets = listPetsOf(pets)
  const seen: PetId[] = []
  let page = await listPets({ limit })
  seen.push(...page.pets.map((pet) => pet.id))
  while (page.next !== undefined) {
    const [following] = await Promise.all([listPets({ after: page.next, limit }), meanwhile?.()])
    page = following
    seen.push(...page.pets.map((pet) => pet.id))
  }
  return seen
}

it.each([1, 2, 3, 6, 7, 8])(
  'following next with pages of %s visits each of seven pets once',
  async (limit) => {
    expect(await idsOfAllPages(await petsOf(7), limit)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
  },
)

it('following next visits each pet once, even while others are added', async () => {
  const pets = await petsOf(7)
  const seen = await idsOfAllPages(pets, 2, () =>
    pets.add(validateNewPet({ name: 'newcomer', categoryId: 1n })),
  )

  expect(seen.slice(0, 7)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
  expect(new Set(seen).size).toBe(seen.length)
})

it.each([
  { status: 'lost' },
  { status: null },
  { after: 1 },
  { after: null },
  { after: 2n ** 63n },
  { after: -(2n ** 63n) - 1n },
])('listPets rejects a query with %o', async (query) => {
  const listing = listPetsOf(createMemoryPets())({ limit: 20, ...query } as PetQuery)
  await expect(listing).rejects.toMatchObject({ code: 'pet_query_invalid' })
})

it.each([{ limit: 1 }, { limit: 2 }, { limit: 7 }, {}])(
  'allPets returns each pet once with %j',
  async (query) => {
    const seen: PetId[] = []
    for await (const pet of allPets(listPetsOf(await petsOf(7)), query)) seen.push(pet.id)
    expect(seen).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
  },
)

it('allPets starts after an id and returns only pets with the status', async () => {
  const listPets = listPetsOf(await petsWith('sold', 'available', 'sold', undefined, 'sold'))
  const seen: PetId[] = []
  for await (const pet of allPets(listPets, { status: 'sold', after: 1n, limit: 1 }))
    seen.push(pet.id)
  expect(seen).toEqual([3n, 5n])
})

it('allPets reads the following page only when it is needed', async () => {
  const listPets = vi.fn(listPetsOf(await petsOf(3)))
  const pets = allPets(listPets, { limit: 2 })
  expect(listPets).not.toHaveBeenCalled()
  await pets.next()
  await pets.next()
  expect(listPets).toHaveBeenCalledTimes(1)
  await pets.next()
  expect(listPets).toHaveBeenCalledTimes(2)
})

it('allPets throws what listPets rejects with', async () => {
  const pets = allPets(listPetsOf(createMemoryPets()), { limit: 0 })
  await expect(pets.next()).rejects.toMatchObject({ code: 'pet_query_invalid' })
})
