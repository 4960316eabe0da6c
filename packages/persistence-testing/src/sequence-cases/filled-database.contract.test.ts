import { AssertionError } from 'node:assert/strict'
import { createMemoryApiKeys } from '@pet-store/access/memory'
import type { PetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import type { Persistence } from '@pet-store/persistence'
import { adapterContract } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'

/** Runs the case on memory, whose pets may have a fault. */
async function runOn(
  faultOf: (pets: PetRepository) => Partial<PetRepository>,
): Promise<string | undefined> {
  const databases = new Map<string, Persistence>()
  const cases = adapterContract({
    emptyDatabase: async () => `${databases.size}`,
    async open({ url }) {
      const pets = createMemoryPets()
      const opened = databases.get(url) ?? {
        pets: { ...pets, ...faultOf(pets) },
        apiKeys: createMemoryApiKeys(),
        check: async () => {},
        close: async () => {},
      }
      databases.set(url, opened)
      return opened
    },
  })
  return cases.find(({ id }) => id === 'persistence.sequence.many')?.run()
}

it('the case of thousands of pets and keys passes with a correct adapter', async () => {
  expect(await runOn(() => ({}))).toBeUndefined()
})

it('the case of thousands of pets notices an adapter that filters only 2,000', async () => {
  const run = runOn((pets) => ({
    async list({ status, limit, ...query }) {
      if (status === undefined) return pets.list({ limit, ...query })
      const found = await pets.list({ ...query, limit: 2_000 })
      return found.filter((pet) => pet.status === status).slice(0, limit)
    },
  }))
  await expect(run).rejects.toThrow(AssertionError)
})
