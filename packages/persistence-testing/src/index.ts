// The contracts, one case per guarantee
export { contractVersion } from './contract-version.ts'
export type { ContractCase } from './case/contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'
export { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
export { rateLimiterContract } from './rate-limiter-contract.ts'
export { bulkAccessContract } from './bulk-access-contract.ts'

// The contract of a whole adapter
export { adapterContract } from './adapter-contract.ts'
export type { AdapterCase } from './adapter-contract.ts'
export type {
  Interruption,
  NewerDatabase,
  OutdatedDatabase,
  PausedReplica,
  PersistenceHarness,
} from './harness/persistence-harness.ts'

// For your own tests
export { addPetOfEachStatus, aNewPet } from './test-data/new-pets.ts'
