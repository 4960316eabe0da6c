import { expect, it } from 'vitest'
import { createMemoryPets } from './memory-pets.ts'
import { createPetUseCases } from './pet-use-cases.ts'

it('createPetUseCases joins all operations over one repository', async () => {
  const { createPet, getPet, listPets } = createPetUseCases(createMemoryPets())
  const { pet: rex } = await createPet({ name: 'Rex', categoryId: 7n })

  expect(await getPet(rex.id)).toEqual(rex)
  expect(await listPets({ limit: 20 })).toEqual({ pets: [rex] })
})
