import { PET_REPOSITORY_FUNCTIONS, wrapPetRepository } from '@pet-store/domain'
import { createMemoryPets } from '@pet-store/domain/memory'
import { expect, it } from 'vitest'
import { petRepositoryContract } from './pet-repository-contract.ts'
import { createFakePets } from './testing/fake-pets.test-support.ts'
import { idempotencyFaults } from './testing/idempotency-faults.test-support.ts'
import { keyComparisonFaults } from './testing/key-comparison-faults.test-support.ts'
import { petFieldFaults } from './testing/pet-field-faults.test-support.ts'
import { petReadFaults } from './testing/pet-read-faults.test-support.ts'
import { petWriteFaults } from './testing/pet-write-faults.test-support.ts'
import { testContract } from './testing/test-contract.test-support.ts'
import { underWayFaults } from './testing/under-way-faults.test-support.ts'

const petFaults = [
  ...petFieldFaults,
  ...petWriteFaults,
  ...idempotencyFaults,
  ...keyComparisonFaults,
  ...underWayFaults,
  ...petReadFaults,
]
testContract('petRepositoryContract', petRepositoryContract, petFaults, createFakePets)

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
