// Pets
export { validateNewPet, INT64, isPetStatus, PET_FIELDS, PET_STATUSES } from './pet.ts'
export { PET_NAME } from './pet-name.ts'
export type { NewPet, Pet, PetInput, PetId, PetStatus } from './pet.ts'

// Operations
export { createPetUseCases } from './pet-use-cases.ts'
export type { CreatePetOptions, PetUseCases } from './pet-use-cases.ts'
export { allPets, PAGE_LIMIT } from './list-pets.ts'
export type { PetPage } from './list-pets.ts'

// What the operations need from outside
export { PET_REPOSITORY_FUNCTIONS, wrapPetRepository } from './pet-repository.ts'
export type { Cancellation, CreatedPet, PetQuery, PetRepository } from './pet-repository.ts'
export { IDEMPOTENCY_KEY_LIFETIME_MS } from './idempotency-key.ts'
export type { IdempotencyKey } from './idempotency-key.ts'

// What can go wrong
export { isPetError, persistenceUnavailable, PetError } from './pet-error.ts'
export type { PetErrorCode, PetErrorOptions, WriteOutcome } from './pet-error.ts'
