import { createMemoryPets } from '@pet-store/domain/memory'
import { aNewPet, petRepositoryContract } from '@pet-store/domain-testing'
import { describe, expect, it } from 'vitest'

describe('createMemoryPets keeps the PetRepository promises:', () => {
  for (const { name, run } of petRepositoryContract) {
    it(name, () => run(createMemoryPets()))
  }
})

describe('createMemoryPets with pets to begin with', () => {
  it('has them, and goes on behind the last', async () => {
    const pets = createMemoryPets([{ id: 7n, name: 'Rex', categoryId: 1n }])
    expect(await pets.find(7n)).toEqual({ id: 7n, name: 'Rex', categoryId: 1n })
    expect((await pets.add(aNewPet())).id).toBe(8n)
  })
})
