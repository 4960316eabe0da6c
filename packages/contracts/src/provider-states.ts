/** Our name in every contract. */
export const PROVIDER = 'pet-store'

/**
 * What a consumer can ask to be so before its request, by name. A name and its parameters never change their meaning,
 * and are never removed; new ones may come. docs/how-to/add-a-consumer-contract.md has the table of parameters.
 */
export const PROVIDER_STATES = {
  /** The store is empty. */
  noPets: 'no pets exist',
  /** `id`, `name`, `categoryId`, `status`, each optional. */
  pet: 'a pet exists',
  /** `count`; optional: `status`, `categoryId`, `name`, `firstId`, and `limit`, the page behind which `cursor` leads. */
  pets: 'N pets exist',
  /** `id`. */
  noSuchPet: 'a pet does not exist',
  /** `idempotencyKey`, `name`, `categoryId`; optional: `status`, `apiKey`. */
  creation: 'a pet was created under an idempotency key',
  /** Optional: `apiKey`, `scopes`. */
  apiKey: 'an API key exists',
  /** Optional: `apiKey`. */
  readOnlyKey: 'an API key may only read',
  /** Optional: `apiKey`. */
  addOnlyKey: 'an API key may only add',
  /** Optional: `apiKey`. */
  revokedKey: 'an API key was revoked',
  /** Optional: `apiKey`. */
  expiredKey: 'an API key has expired',
  /** Optional: `apiKey`. */
  usedUpKey: 'an API key used up its limit',
  /** The day is after 5 December 2030. */
  getPetRemoved: 'getPet was removed',
} as const

/** One of the states. */
export type ProviderState = (typeof PROVIDER_STATES)[keyof typeof PROVIDER_STATES]
