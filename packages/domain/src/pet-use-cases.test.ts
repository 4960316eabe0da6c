import { expect, it } from 'vitest'
import { createMemoryPets } from './memory-pets.ts'
import { type PetInput, validateNewPet } from './pet.ts'
import { createPetUseCases } from './pet-use-cases.ts'

const REX: PetInput = { name: 'Rex', categoryId: 7n }

function setUp() {
  const pets = createMemoryPets()
  return { pets, ...createPetUseCases(pets) }
}

it('createPet returns the pet with its id and stores it', async () => {
  const { pets, createPet } = setUp()
  const { pet } = await createPet({ ...REX, status: 'sold' })

  expect(pet).toStrictEqual({ id: 1n, ...REX, status: 'sold' })
  expect(await pets.find(pet.id)).toStrictEqual(pet)
})

it('createPet creates two pets from two equal inputs', async () => {
  const { pets, createPet } = setUp()

  expect([await createPet(REX), await createPet(REX)].map(({ pet }) => pet.id)).toEqual([1n, 2n])
  expect(await pets.list({ limit: 10 })).toHaveLength(2)
})

it('createPet ignores an id and unknown fields of the input', async () => {
  const input: PetInput & Record<string, unknown> = { id: 99n, ...REX, owner: 'Ann' }

  // No status either, since the input has none.
  expect((await setUp().createPet(input)).pet).toStrictEqual({ id: 1n, ...REX })
})

it.each([
  ['an invalid pet', { ...REX, name: ' ' }, 0, { code: 'pet_invalid' }],
  ['an idempotency key whose time is not a valid date', REX, Number.NaN, expect.any(TypeError)],
])(
  'createPet rejects, instead of throwing, on %s and stores nothing',
  async (_, input, atMs, error) => {
    const { pets, createPet } = setUp()
    const idempotencyKey = { owner: 'shop', key: 'key', at: new Date(atMs) }

    await expect(createPet(input, { idempotencyKey })).rejects.toMatchObject(error)
    expect(await pets.list({ limit: 10 })).toEqual([])
  },
)

it('createPet passes the same fingerprint for equal pets, and for no others', async () => {
  const fingerprints: string[] = []
  const memory = createMemoryPets()
  const { createPet } = createPetUseCases({
    ...memory,
    addWithKey(pet, key) {
      fingerprints.push(key.fingerprint)
      return memory.addWithKey(pet, { ...key, key: `${fingerprints.length}` })
    },
  })
  const rex = { ...REX, status: 'sold' } as const
  const idempotencyKey = { owner: 'shop', key: 'key', at: new Date(0) }
  const others = [
    { ...rex, name: 'rex' },
    { ...rex, categoryId: -7n },
    { ...rex, status: undefined },
    { ...rex, name: '/Rex' },
  ]
  for (const input of [rex, { ...rex, id: 1n }, ...others])
    await createPet(input, { idempotencyKey })

  const [first, equal, ...different] = fingerprints
  // Stored keys have this format.
  expect(first).toBe('sold/7/Rex')
  expect(equal).toBe(first)
  expect(new Set([first, ...different]).size).toBe(others.length + 1)
})

it('getPet returns the pet with this id', async () => {
  const { pets, getPet } = setUp()
  await pets.add(validateNewPet(REX))
  const mia = await pets.add(validateNewPet({ name: 'Mia', categoryId: 2n, status: 'pending' }))

  expect(await getPet(mia.id)).toStrictEqual({
    id: 2n,
    name: 'Mia',
    categoryId: 2n,
    status: 'pending',
  })
})

it.each([0n, 2n ** 53n + 1n, -(2n ** 63n)])(
  'getPet rejects the unknown id %s and names it',
  async (id) => {
    const message = `There is no pet ${id}.`
    await expect(setUp().getPet(id)).rejects.toMatchObject({
      name: 'PetError',
      code: 'pet_not_found',
      message,
    })
  },
)

it('getPet returns a stored pet without validating it again', async () => {
  const { pets, getPet } = setUp()
  // Stored when the rules were different.
  const old = await pets.add({ name: '', categoryId: 1n } as ReturnType<typeof validateNewPet>)

  expect(await getPet(old.id)).toStrictEqual(old)
})
