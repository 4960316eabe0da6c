import {
  type NewPet,
  PetError,
  type PetQuery,
  persistenceUnavailable,
  validateNewPet,
} from '@pet-store/domain'
import { expect, it, vi } from 'vitest'
import { createCallGuard } from './call-guard.ts'
import { createRecordPets, type PetRecords } from './record-pet-repository.ts'

// The example adapter runs every case of the contract on it.

const REX = validateNewPet({ name: 'Rex', categoryId: 2n ** 62n })
const KEY = { owner: 'shop', key: 'a', fingerprint: 'Rex' }

function createPets(add: PetRecords['add']) {
  const guard = createCallGuard({ outcomeOf: () => undefined, concurrency: 1 })
  return createRecordPets({ add } as PetRecords, guard)
}

it('createRecordPets passes rows on, with owner and key as one text', async () => {
  const add = vi.fn<PetRecords['add']>(async (pet) => ({
    pet: { id: '9007199254740993', ...pet },
    isReplay: true,
  }))
  const pet = { ...REX, id: 2n ** 53n + 1n }
  expect(await createPets(add).addWithKey(REX, KEY)).toStrictEqual({ pet, isReplay: true })
  expect(await createPets(add).add(REX)).toStrictEqual(pet)
  await createPets(add).addWithKey(REX, { ...KEY, owner: 'a","b', at: new Date(5) })
  const row = { name: 'Rex', categoryId: '4611686018427387904' }
  expect(add.mock.calls).toStrictEqual([
    [row, { name: '["shop","a"]', ...KEY }, undefined],
    [row, undefined, undefined],
    [row, { name: '["a\\",\\"b","a"]', ...KEY, owner: 'a","b', at: 5 }, undefined],
  ])
})

it('createRecordPets lets an add of several requests look at its cancellation again', async () => {
  const add = vi.fn<PetRecords['add']>(async (pet, _, cancellation) => {
    controller.abort()
    if (cancellation?.aborted) throw persistenceUnavailable()
    return { pet: { id: '1', ...pet }, isReplay: false }
  })
  const controller = new AbortController()
  await expect(createPets(add).add(REX, controller.signal)).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
  })
  const { signal } = new AbortController()
  expect(await createPets(add).addWithKey(REX, KEY, signal)).toMatchObject({ isReplay: false })
})

it('createRecordPets rejects other content, cancelled calls, and what cannot be read', async () => {
  const add = vi.fn<PetRecords['add']>(async () => 'reused')
  const pets = createPets(add)
  await expect(pets.addWithKey(REX, KEY)).rejects.toSatisfy(
    (error) => error instanceof PetError && error.code === 'idempotency_key_reused',
  )
  const unreadable = Object.defineProperty({ ...REX }, 'name', {
    enumerable: true,
    get: () => {
      throw new Error('unreadable')
    },
  })
  await expect(pets.add(unreadable)).rejects.toThrow('unreadable')
  await expect(pets.add(REX, { aborted: true })).rejects.toMatchObject({
    code: 'persistence_unavailable',
    outcome: 'not_stored',
  })
  expect(add).toHaveBeenCalledTimes(1)
})

it('createRecordPets lists by a query as it was when it was given', async () => {
  const queries: unknown[] = []
  const guard = createCallGuard({ outcomeOf: () => undefined, concurrency: 1 })
  const list = async (query: PetQuery) => {
    queries.push({ ...query })
    return []
  }
  const pets = createRecordPets({ list } as unknown as PetRecords, guard)
  const query = { limit: 20 }
  const listing = [pets.list({ limit: 1 }), pets.list(query)]
  query.limit = 99
  await Promise.all(listing)
  expect(queries).toEqual([{ limit: 1 }, { limit: 20 }])
})

it('createRecordPets stores a pet as it was when it was given', async () => {
  const names: unknown[] = []
  const pets = createPets(async (pet) => {
    names.push(pet['name'])
    return { pet: { id: '1', ...pet }, isReplay: false }
  })
  const given: NewPet = { ...REX }
  const adding = [pets.add(REX), pets.add(given)]
  Object.assign(given, { name: 'Mia' })
  await Promise.all(adding)
  expect(names).toEqual(['Rex', 'Rex'])
})
