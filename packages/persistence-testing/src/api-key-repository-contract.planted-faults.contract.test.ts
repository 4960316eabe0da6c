import { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
import { apiKeyFaults } from './testing/api-key-faults.test-support.ts'
import { FakeApiKeys } from './testing/fake-api-keys.test-support.ts'
import { testContract } from './testing/test-contract.test-support.ts'

testContract(
  'apiKeyRepositoryContract',
  apiKeyRepositoryContract,
  apiKeyFaults,
  () => new FakeApiKeys(),
)
