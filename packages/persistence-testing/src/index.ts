// The promises, one case each
export type { ContractCase } from './contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'
export { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
export { rateLimiterContract } from './rate-limiter-contract.ts'

// For tests of your own
export { aNewPet } from './a-new-pet.ts'
