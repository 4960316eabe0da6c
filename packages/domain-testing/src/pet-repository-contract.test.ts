import { AssertionError } from 'node:assert/strict'
import { createMemoryPets } from '@pet-store/domain/memory'
import { describe, expect, it } from 'vitest'
import { addingFaults } from './pet-faults/adding.test-support.ts'
import { detachedFaults } from './pet-faults/detached.test-support.ts'
import { BrokenOnPurpose } from './pet-faults/fault.test-support.ts'
import { fieldFaults } from './pet-faults/fields.test-support.ts'
import { filteringFaults } from './pet-faults/filtering.test-support.ts'
import { findingFaults } from './pet-faults/finding.test-support.ts'
import { listingFaults } from './pet-faults/listing.test-support.ts'
import { onceFaults } from './pet-faults/once.test-support.ts'
import { pagingFaults } from './pet-faults/paging.test-support.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'

const faults = [
  ...fieldFaults,
  ...addingFaults,
  ...onceFaults,
  ...findingFaults,
  ...listingFaults,
  ...pagingFaults,
  ...filteringFaults,
  ...detachedFaults,
]
const cases = new Map(petRepositoryContract.map((contractCase) => [contractCase.name, contractCase]))

describe('petRepositoryContract notices a repository that', () => {
  for (const { name, caughtBy, over } of faults) {
    it.each(caughtBy)(`${name}: %s`, async (caseName) => {
      const outcome = await cases
        .get(caseName)
        ?.run(over(createMemoryPets()))
        .then(
          () => 'passed',
          (error: unknown) => error,
        )

      // Any other error would be a mistake in the fault or in the case.
      expect(outcome).toSatisfy((error) => error instanceof AssertionError || error instanceof BrokenOnPurpose)
    })
  }
})

describe('petRepositoryContract', () => {
  it('has a name of its own for each case', () => {
    expect(cases.size).toBe(petRepositoryContract.length)
  })

  it('has no case that nothing was seen to fail', () => {
    const caught = new Set(faults.flatMap((fault) => fault.caughtBy))
    expect([...cases.keys()].filter((name) => !caught.has(name))).toEqual([])
  })
})
