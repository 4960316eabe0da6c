// The contracts, one case per guarantee
export { contractVersion } from './contract-case.ts'
export type { ContractCase } from './contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'
export { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
export { rateLimiterContract } from './rate-limiter-contract.ts'

// The contract of a whole adapter
export { persistenceContract } from './persistence-contract.ts'
export type { PersistenceCase } from './persistence-contract.ts'
export type { Interruption, NotShown, PersistenceHarness } from './persistence-harness.ts'

// For your own tests
export { aNewPet } from './new-pets.ts'
