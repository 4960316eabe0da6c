import { describe, expect, it } from 'vitest'
import { createMemoryPets } from '../memory-pets.ts'
import type { PetInput } from '../pet.ts'
import { createPetIn } from './create-pet.ts'

describe('createPet', () => {
  it('resolves with the pet with its id and stores it', async () => {
    const pets = createMemoryPets()
    const { pet } = await createPetIn(pets)({ name: 'Rex', categoryId: 7n, status: 'sold' })

    expect(pet).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' })
    expect(await pets.find(pet.id)).toStrictEqual(pet)
  })

  it('gives no status to a pet without one', async () => {
    const { pet } = await createPetIn(createMemoryPets())({ name: 'Rex', categoryId: 7n })
    expect(pet).not.toHaveProperty('status')
  })

  it('creates two pets from two equal inputs', async () => {
    const pets = createMemoryPets()
    const createPet = createPetIn(pets)
    const input = { name: 'Rex', categoryId: 7n }

    expect([await createPet(input), await createPet(input)].map(({ pet }) => pet.id)).toEqual([1n, 2n])
    expect(await pets.list({ limit: 10 })).toHaveLength(2)
  })

  it('stores nothing of an id or another field of the input', async () => {
    const input: PetInput & Record<string, unknown> = { id: 99n, name: 'Rex', categoryId: 7n, owner: 'Ann' }

    const { pet } = await createPetIn(createMemoryPets())(input)
    expect(pet).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n })
  })

  it('rejects, instead of throwing, what breaks a rule, and stores nothing', async () => {
    const pets = createMemoryPets()

    await expect(createPetIn(pets)({ name: ' ', categoryId: 7n })).rejects.toMatchObject({ code: 'pet_invalid' })
    expect(await pets.list({ limit: 10 })).toEqual([])
  })
})
