import { createMemoryPets } from '@pet-store/domain/memory'
import { testContract } from './fault.test-support.ts'
import { addingFaults } from './pet-faults/adding.test-support.ts'
import { detachedFaults } from './pet-faults/detached.test-support.ts'
import { fieldFaults } from './pet-faults/fields.test-support.ts'
import { filteringFaults } from './pet-faults/filtering.test-support.ts'
import { findingFaults } from './pet-faults/finding.test-support.ts'
import { idempotencyFaults } from './pet-faults/idempotency.test-support.ts'
import { listingFaults } from './pet-faults/listing.test-support.ts'
import { pagingFaults } from './pet-faults/paging.test-support.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'

const faults = [
  ...fieldFaults,
  ...addingFaults,
  ...idempotencyFaults,
  ...findingFaults,
  ...listingFaults,
  ...pagingFaults,
  ...filteringFaults,
  ...detachedFaults,
]

testContract('petRepositoryContract', petRepositoryContract, faults, createMemoryPets)
