import { expect, it } from 'vitest'
import { createMemoryPets } from './memory-pets.ts'
import { validateNewPet } from './pet.ts'
import { createPetUseCases } from './pet-use-cases.ts'

it('getPet returns the pet with this id', async () => {
  const pets = createMemoryPets()
  await pets.add(validateNewPet({ name: 'Ada', categoryId: 1n }))
  const rex = await pets.add(validateNewPet({ name: 'Rex', categoryId: 2n, status: 'pending' }))

  expect(await createPetUseCases(pets).getPet(rex.id)).toStrictEqual({
    id: 2n,
    name: 'Rex',
    categoryId: 2n,
    status: 'pending',
  })
})

it.each([0n, -1n, 2n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
  'getPet rejects the unknown id %s and names it',
  async (id) => {
    const pets = createMemoryPets()
    await pets.add(validateNewPet({ name: 'Ada', categoryId: 1n }))

    await expect(createPetUseCases(pets).getPet(id)).rejects.toMatchObject({
      name: 'PetError',
      code: 'pet_not_found',
      message: `There is no pet ${id}.`,
    })
  },
)

it('getPet returns a stored pet without validating it again', async () => {
  const pets = createMemoryPets()
  // Stored when the rules were different.
  const old = await pets.add({ name: '', categoryId: 1n } as ReturnType<typeof validateNewPet>)

  expect(await createPetUseCases(pets).getPet(old.id)).toStrictEqual(old)
})
