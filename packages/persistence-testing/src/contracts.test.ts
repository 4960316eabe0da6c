import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PET_REPOSITORY_FUNCTIONS, wrapPetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { adapterContract, petRepositoryContract } from '@pet-store/persistence-testing'
import { expect, it } from 'vitest'
import { CASE_IDS } from './contract-version.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const harness = { open: () => Promise.reject(new Error('unused')), emptyDatabase: async () => '' }
const ids = adapterContract(harness).map(({ id }) => id)

it('the ids of all cases are in contract-version.ts; raise the version when they change', () => {
  const listed = Object.entries(CASE_IDS).flatMap(([group, names]) =>
    names.split(' ').map((name) => `${group}.${name}`),
  )
  expect(ids).toEqual(listed)
})

it('the ids of all cases are unique and formatted alike', () => {
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z-]+([.][a-z0-9-]+)+$/)
})

it('the cases of petRepositoryContract call every function of the port', async () => {
  const called = new Set<string>()
  for (const { run } of petRepositoryContract) {
    await run(
      wrapPetRepository(createMemoryPets(), (name, work) => {
        called.add(name)
        return work()
      }),
    )
  }
  expect(PET_REPOSITORY_FUNCTIONS.filter((name) => !called.has(name))).toEqual([])
})

it('the README shows the contract test of the memory repository as it is', () => {
  expect(read('../README.md')).toContain(`\`\`\`ts\n${read('memory-pets.contract.test.ts')}\`\`\``)
})
