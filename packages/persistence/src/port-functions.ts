import type { ApiKeyRepository } from '@pet-store/access'
import type { BulkAccess } from './bulk-access.ts'
import type { Persistence } from './persistence.ts'

// Records instead of arrays, so that the compiler reports a function that is missing here.

const API_KEYS: Readonly<Record<Exclude<keyof ApiKeyRepository, 'listChangedSince'>, true>> = {
  add: true,
  replace: true,
  find: true,
  findByHash: true,
  list: true,
  revoke: true,
  markUsed: true,
}

const BULK_ACCESS: Readonly<Record<keyof BulkAccess, true>> = {
  countPets: true,
  readPets: true,
  writePets: true,
  addPets: true,
  readPetImports: true,
  writePetImports: true,
  readIdempotencyKeys: true,
  writeIdempotencyKeys: true,
  readApiKeys: true,
  writeApiKeys: true,
  lastPetId: true,
  movePetIdsPast: true,
  close: true,
}

const PERSISTENCE: Readonly<
  Record<Exclude<keyof Persistence, 'pets' | 'apiKeys'>, 'required' | 'optional'>
> = {
  check: 'required',
  close: 'required',
  createRateLimiter: 'optional',
  isMigrated: 'optional',
  replicaProblems: 'optional',
  readClock: 'optional',
  poolUse: 'optional',
}

/** The names of the functions of `Persistence` itself that an open adapter must have. */
export function requiredFunctions(opened: Partial<Persistence>): readonly string[] {
  return Object.entries(PERSISTENCE)
    .filter(([name, need]) => need === 'required' || Reflect.get(opened, name) !== undefined)
    .map(([name]) => name)
}

/** The names of the functions of `ApiKeyRepository`, without the optional `listChangedSince`. */
export const API_KEY_REPOSITORY_FUNCTIONS: readonly (keyof typeof API_KEYS)[] = Object.keys(
  API_KEYS,
) as (keyof typeof API_KEYS)[]

/** The names of the functions of `BulkAccess`. */
export const BULK_ACCESS_FUNCTIONS: readonly (keyof BulkAccess)[] = Object.keys(
  BULK_ACCESS,
) as (keyof BulkAccess)[]
