// The client, and what its operations take
export { createPetStoreClient } from './create-pet-store-client.ts'
export type { AllPetsQuery, CreatePetOptions, PetStoreClient } from './create-pet-store-client.ts'
export type { CallOptions, PetStoreClientOptions, RequestOptions } from './options.ts'

// What a call tells while it runs
export type { DeprecationDetails, Hooks, ResponseDetails, RetryDetails } from './hooks.ts'

// What they return
export type { ListPetsQuery, PetPage } from './pet-page.ts'
export type { NewPet, Pet, PetStatus } from './pet-json.ts'

// What can go wrong
export { PetStoreError } from './pet-store-error.ts'
export type {
  ClientErrorCode,
  PetStoreErrorCode,
  PetStoreErrorDetails,
  ServiceErrorCode,
} from './pet-store-error.ts'
