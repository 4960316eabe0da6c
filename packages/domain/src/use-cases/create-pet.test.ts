import { describe, expect, it } from 'vitest'
import { createMemoryPets } from '../memory-pets.ts'
import type { PetDraft } from '../pet.ts'
import { createPetIn } from './create-pet.ts'

describe('createPet', () => {
  it('answers the pet with its id and stores it', async () => {
    const pets = createMemoryPets()
    const pet = await createPetIn(pets)({ name: 'Rex', categoryId: 7n, status: 'sold' })

    expect(pet).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' })
    expect(await pets.find(pet.id)).toStrictEqual(pet)
  })

  it('gives no status to a pet without one', async () => {
    expect(await createPetIn(createMemoryPets())({ name: 'Rex', categoryId: 7n })).not.toHaveProperty('status')
  })

  it('makes two pets of two equal drafts', async () => {
    const pets = createMemoryPets()
    const createPet = createPetIn(pets)
    const draft = { name: 'Rex', categoryId: 7n }

    expect([await createPet(draft), await createPet(draft)].map((pet) => pet.id)).toEqual([1n, 2n])
    expect(await pets.list({ limit: 10 })).toHaveLength(2)
  })

  it('stores nothing of an id or another field in the draft', async () => {
    const draft: PetDraft & Record<string, unknown> = { id: 99n, name: 'Rex', categoryId: 7n, owner: 'Ann' }

    expect(await createPetIn(createMemoryPets())(draft)).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n })
  })

  it('rejects, instead of throwing, what breaks a rule, and stores nothing', async () => {
    const pets = createMemoryPets()

    await expect(createPetIn(pets)({ name: ' ', categoryId: 7n })).rejects.toMatchObject({ code: 'pet_invalid' })
    expect(await pets.list({ limit: 10 })).toEqual([])
  })
})
