import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import { petRepositoryContract } from './pet-repository-contract.ts'
import { apiKeyFaults } from './testing/api-key-faults.test-support.ts'
import { FakeApiKeys } from './testing/fake-api-keys.test-support.ts'
import { createFakePets } from './testing/fake-pets.test-support.ts'
import { testContract } from './testing/fault.test-support.ts'
import { idempotencyFaults } from './testing/idempotency-faults.test-support.ts'
import { petReadFaults } from './testing/pet-read-faults.test-support.ts'
import { petWriteFaults } from './testing/pet-write-faults.test-support.ts'

const petFaults = [...petWriteFaults, ...idempotencyFaults, ...petReadFaults]
testContract('petRepositoryContract', petRepositoryContract, petFaults, createFakePets)
testContract(
  'apiKeyRepositoryContract',
  apiKeyRepositoryContract,
  apiKeyFaults,
  () => new FakeApiKeys(),
)
