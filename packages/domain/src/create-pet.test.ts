import { expect, it } from 'vitest'
import { createPetIn } from './create-pet.ts'
import { createMemoryPets } from './memory-pets.ts'
import type { PetInput } from './pet.ts'

it('createPet returns the pet with its id and stores it', async () => {
  const pets = createMemoryPets()
  const { pet } = await createPetIn(pets)({ name: 'Rex', categoryId: 7n, status: 'sold' })

  expect(pet).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n, status: 'sold' })
  expect(await pets.find(pet.id)).toStrictEqual(pet)
})

it('createPet creates two pets from two equal inputs', async () => {
  const pets = createMemoryPets()
  const createPet = createPetIn(pets)
  const input = { name: 'Rex', categoryId: 7n }

  expect([await createPet(input), await createPet(input)].map(({ pet }) => pet.id)).toEqual([1n, 2n])
  expect(await pets.list({ limit: 10 })).toHaveLength(2)
})

it('createPet ignores an id and unknown fields of the input', async () => {
  const input: PetInput & Record<string, unknown> = { id: 99n, name: 'Rex', categoryId: 7n, owner: 'Ann' }

  // No status either, since the input has none.
  const { pet } = await createPetIn(createMemoryPets())(input)
  expect(pet).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 7n })
})

it('createPet rejects, instead of throwing, on an invalid pet and stores nothing', async () => {
  const pets = createMemoryPets()

  await expect(createPetIn(pets)({ name: ' ', categoryId: 7n })).rejects.toMatchObject({ code: 'pet_invalid' })
  expect(await pets.list({ limit: 10 })).toEqual([])
})

it('createPet passes the same fingerprint for equal pets, and another one when any field differs', async () => {
  const fingerprints: string[] = []
  const memory = createMemoryPets()
  const createPet = createPetIn({
    ...memory,
    addWithKey(pet, key) {
      fingerprints.push(key.fingerprint)
      return memory.addWithKey(pet, { ...key, key: `${fingerprints.length}` })
    },
  })
  const rex = { name: 'Rex', categoryId: 7n, status: 'sold' } as const
  const idempotencyKey = { owner: 'shop', key: 'key', at: new Date(0) }
  const others = [
    { ...rex, name: 'rex' },
    { ...rex, categoryId: -7n },
    { ...rex, status: undefined },
    { ...rex, name: '/Rex' },
  ]
  for (const input of [rex, { ...rex, id: 1n }, ...others]) await createPet(input, { idempotencyKey })

  const [first, equal, ...different] = fingerprints
  // Stored keys have this format.
  expect(first).toBe('sold/7/Rex')
  expect(equal).toBe(first)
  expect(new Set([first, ...different]).size).toBe(others.length + 1)
})

it('createPet rejects an idempotency key whose time is not a valid date', async () => {
  const pets = createMemoryPets()
  const idempotencyKey = { owner: 'shop', key: 'key', at: new Date(Number.NaN) }

  await expect(createPetIn(pets)({ name: 'Rex', categoryId: 7n }, { idempotencyKey })).rejects.toThrow(TypeError)
  expect(await pets.list({ limit: 10 })).toEqual([])
})
