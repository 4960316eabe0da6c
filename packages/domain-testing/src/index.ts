// The promises, one case each
export type { ContractCase } from './contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'
export { apiKeyRepositoryContract } from './api-key-repository-contract.ts'
export { rateLimiterContract } from './rate-limiter-contract.ts'

// For tests of your own
export { aNewPet } from './a-new-pet.ts'

// The shape of a storage that the service can open, types only
export type { OpenStorage, PoolUse, Storage, StorageOptions } from './storage.ts'
