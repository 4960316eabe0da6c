import { describe, expect, it } from 'vitest'
import { createMemoryPets } from '../memory-pets.ts'
import { validateNewPet } from '../pet.ts'
import { getPetFrom } from './get-pet.ts'

describe('getPet', () => {
  it('answers the pet with this id', async () => {
    const pets = createMemoryPets()
    await pets.add(validateNewPet({ name: 'Ada', categoryId: 1n }))
    const rex = await pets.add(validateNewPet({ name: 'Rex', categoryId: 2n, status: 'pending' }))

    expect(await getPetFrom(pets)(rex.id)).toStrictEqual({ id: 2n, name: 'Rex', categoryId: 2n, status: 'pending' })
  })

  it.each([0n, -1n, 2n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'rejects the unknown id %s and names it',
    async (id) => {
      const pets = createMemoryPets()
      await pets.add(validateNewPet({ name: 'Ada', categoryId: 1n }))

      await expect(getPetFrom(pets)(id)).rejects.toMatchObject({
        name: 'PetError',
        code: 'pet_not_found',
        message: `There is no pet ${id}.`,
      })
    },
  )

  it('answers what is stored without judging it again', async () => {
    const pets = createMemoryPets()
    // Stored in a time with other rules.
    const old = await pets.add({ name: '', categoryId: 1n } as ReturnType<typeof validateNewPet>)

    expect(await getPetFrom(pets)(old.id)).toStrictEqual(old)
  })
})
