import { expect, it } from 'vitest'
import { createMemoryPets } from './memory-pets.ts'
import { validateNewPet } from './pet.ts'

// The contract of the port is tested in persistence-testing.
it('createMemoryPets contains the given pets and continues after the last id', async () => {
  const pets = createMemoryPets([{ id: 7n, name: 'Rex', categoryId: 1n }])
  expect(await pets.find(7n)).toEqual({ id: 7n, name: 'Rex', categoryId: 1n })
  expect((await pets.add(validateNewPet({ name: 'Mia', categoryId: 1n }))).id).toBe(8n)
})
