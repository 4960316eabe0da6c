// The client, and what its operations take
export { createPetStoreClient } from './create-pet-store-client.ts'
export type { AllPetsQuery, CallOptions, CreatePetOptions } from './create-pet-store-client.ts'
export type { PetStoreClient, PetStoreClientOptions } from './create-pet-store-client.ts'

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
