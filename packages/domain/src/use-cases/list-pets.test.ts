import { describe, expect, it } from 'vitest'
import { createMemoryPets } from '../memory-pets.ts'
import { type PetId, validateNewPet } from '../pet.ts'
import type { PetQuery, PetRepository } from '../pet-repository.ts'
import { PET_STATUSES, type PetStatus } from '../pet-status.ts'
import { listPetsOf, PAGE_LIMIT } from './list-pets.ts'

async function petsWith(...statuses: readonly (PetStatus | undefined)[]): Promise<PetRepository> {
  const pets = createMemoryPets()
  for (const status of statuses) {
    await pets.add(validateNewPet(status ? { name: 'Rex', categoryId: 1n, status } : { name: 'Rex', categoryId: 1n }))
  }
  return pets
}

function petsOf(count: number): Promise<PetRepository> {
  return petsWith(...Array.from({ length: count }, () => undefined))
}

describe('listPets', () => {
  it('answers an empty page without next when there are no pets', async () => {
    expect(await listPetsOf(createMemoryPets())({ limit: 20 })).toStrictEqual({ pets: [] })
  })

  it('answers whole pets by ascending id', async () => {
    const pets = await petsWith('sold', undefined)

    expect((await listPetsOf(pets)({ limit: 20 })).pets).toStrictEqual([
      { id: 1n, name: 'Rex', categoryId: 1n, status: 'sold' },
      { id: 2n, name: 'Rex', categoryId: 1n },
    ])
  })

  it('starts after the given id, whether or not it exists', async () => {
    const listPets = listPetsOf(await petsOf(3))

    expect((await listPets({ after: 2n, limit: 20 })).pets).toMatchObject([{ id: 3n }])
    expect((await listPets({ after: -5n, limit: 20 })).pets).toHaveLength(3)
    expect(await listPets({ after: 99n, limit: 20 })).toStrictEqual({ pets: [] })
  })
})

describe('listPets says next exactly when another pet exists:', () => {
  it.each([
    { count: 1, limit: 1, next: undefined },
    { count: 2, limit: 1, next: 1n },
    { count: 4, limit: 5, next: undefined },
    { count: 5, limit: 5, next: undefined },
    { count: 6, limit: 5, next: 5n },
    { count: 100, limit: 100, next: undefined },
    { count: 101, limit: 100, next: 100n },
  ])('$count pets and a limit of $limit give next $next', async ({ count, limit, next }) => {
    const page = await listPetsOf(await petsOf(count))({ limit })

    expect(page.pets).toHaveLength(Math.min(count, limit))
    expect(page.next).toBe(next)
    expect(Object.hasOwn(page, 'next')).toBe(next !== undefined)
  })

  it('looks only at pets after the given id', async () => {
    const listPets = listPetsOf(await petsOf(4))

    expect(await listPets({ after: 1n, limit: 2 })).toMatchObject({ pets: [{ id: 2n }, { id: 3n }], next: 3n })
    expect(await listPets({ after: 2n, limit: 2 })).not.toHaveProperty('next')
  })

  it('looks only at pets with the wanted status', async () => {
    const listPets = listPetsOf(await petsWith('sold', 'available', 'sold', 'pending', undefined))

    expect(await listPets({ status: 'sold', limit: 1 })).toMatchObject({ pets: [{ id: 1n }], next: 1n })
    expect(await listPets({ status: 'sold', limit: 2 })).not.toHaveProperty('next')
  })
})

describe('listPets with a status', () => {
  it.each(PET_STATUSES)('answers only pets that are %s', async (status) => {
    const { pets } = await listPetsOf(await petsWith(...PET_STATUSES, undefined))({ status, limit: 20 })

    expect(pets.map((pet) => pet.status)).toEqual([status])
  })

  it('leaves out pets without a status', async () => {
    expect(await listPetsOf(await petsOf(2))({ status: 'available', limit: 20 })).toStrictEqual({ pets: [] })
  })
})

describe('listPets judges the limit:', () => {
  it('has the limits of the interface document', () => {
    expect(PAGE_LIMIT).toEqual({ min: 1, max: 100, default: 20 })
  })

  it.each([1, 2, 99, 100])('accepts %s', async (limit) => {
    expect((await listPetsOf(await petsOf(3))({ limit })).pets).toHaveLength(Math.min(3, limit))
  })

  it.each([0, -0, -1, 101, 1.5, 0.5, 100.5, Number.NaN, Infinity, -Infinity, 2 ** 53])('refuses %s', async (limit) => {
    await expect(listPetsOf(createMemoryPets())({ limit })).rejects.toMatchObject({
      name: 'PetError',
      code: 'pet_query_invalid',
      message: 'limit must be an integer from 1 to 100',
    })
  })

  it.each([undefined, null, '20', 20n, true])('refuses %o, which is no number', async (limit: unknown) => {
    await expect(listPetsOf(createMemoryPets())({ limit: limit as number })).rejects.toMatchObject({
      code: 'pet_query_invalid',
    })
  })
})

describe('following next', () => {
  async function follow(pets: PetRepository, limit: number, meanwhile?: () => Promise<unknown>): Promise<PetId[]> {
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

  it.each([1, 2, 3, 6, 7, 8])('visits seven pets once each with pages of %s', async (limit) => {
    expect(await follow(await petsOf(7), limit)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
  })

  it('visits each pet of the start once, also while others are added', async () => {
    const pets = await petsOf(7)
    const seen = await follow(pets, 2, () => pets.add(validateNewPet({ name: 'newcomer', categoryId: 1n })))

    expect(seen.slice(0, 7)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n])
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('listPets, called without types,', () => {
  it.each([
    { status: 'lost' },
    { status: null },
    { after: 1 },
    { after: null },
    { after: 2n ** 63n },
    { after: -(2n ** 63n) - 1n },
  ])('refuses $status$after', async (query) => {
    const listing = listPetsOf(createMemoryPets())({ limit: 20, ...query } as PetQuery)
    await expect(listing).rejects.toMatchObject({ code: 'pet_query_invalid' })
  })

  it('takes both ends of int64', async () => {
    const listPets = listPetsOf(await petsOf(1))
    expect((await listPets({ limit: 20, after: -(2n ** 63n) })).pets).toHaveLength(1)
    expect((await listPets({ limit: 20, after: 2n ** 63n - 1n })).pets).toHaveLength(0)
  })
})
