// The contracts, one case per guarantee
export { contractVersion } from './contract-case.ts'
export type { ContractCase } from './contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'
export { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
export { rateLimiterContract } from './rate-limiter-contract.ts'

// For your own tests
export { aNewPet } from './new-pets.ts'
