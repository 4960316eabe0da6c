import { expect, it } from 'vitest'
import { createMemoryPets } from './memory-pets.ts'
import { validateNewPet } from './pet.ts'

// That it keeps the promises of the port is tested in persistence-testing.
it('A memory with pets to begin with has them, and goes on behind the last', async () => {
  const pets = createMemoryPets([{ id: 7n, name: 'Rex', categoryId: 1n }])
  expect(await pets.find(7n)).toEqual({ id: 7n, name: 'Rex', categoryId: 1n })
  expect((await pets.add(validateNewPet({ name: 'Mia', categoryId: 1n }))).id).toBe(8n)
})
