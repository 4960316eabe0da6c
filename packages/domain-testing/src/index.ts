// The promises, one case each
export type { ContractCase } from './contract-case.ts'
export { petRepositoryContract } from './pet-repository-contract.ts'

// For tests of your own
export { aNewPet } from './a-new-pet.ts'
