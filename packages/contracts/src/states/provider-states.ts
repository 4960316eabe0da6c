/** The name of this provider in every contract. */
export const PROVIDER = 'pet-store'

/** Valid in every contract, without a state, for every operation. No installation knows it. */
export const CONTRACT_API_KEY = 'pets_ContractTestsOnlyMayDoEverything0000000000005pLw4'

/** Has the format of a key, and is never valid. */
export const UNKNOWN_API_KEY = 'pets_ContractTestsOnlyIsKnownNowhere0000000000004FPeV1'

/**
 * What a consumer can set up before its request, by name. A name and its parameters never change
 * their meaning and are never removed; new ones may be added.
 * docs/how-to/add-a-consumer-contract.md has the table of parameters.
 */
export const PROVIDER_STATES = {
  noPets: 'no pets exist',
  /** `id`, `name`, `categoryId`, `status`, each optional. */
  pet: 'a pet exists',
  /**
   * `count`; optional: `status`, `categoryId`, `name`, `firstId`, and `limit`, the size of the page
   * that `cursor` follows.
   */
  pets: 'N pets exist',
  /** `id`. */
  noSuchPet: 'a pet does not exist',
  /** `idempotencyKey`, `name`, `categoryId`; optional: `status`, `apiKey`. */
  creation: 'a pet was created under an idempotency key',
  /** Optional: `scopes`, and as in those after it `apiKey`. */
  apiKey: 'an API key exists',
  readOnlyKey: 'an API key may only read',
  addOnlyKey: 'an API key may only add',
  revokedKey: 'an API key was revoked',
  expiredKey: 'an API key has expired',
  usedUpKey: 'an API key used up its limit',
  /** It is 6 December 2030. */
  getPetRemoved: 'getPet was removed',
} as const

/** One of the states. */
export type ProviderState = (typeof PROVIDER_STATES)[keyof typeof PROVIDER_STATES]
