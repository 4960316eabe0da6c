import { INT64, type NewPet } from '@pet-store/domain'
import type {
  BulkAccess,
  PetImport,
  StoredApiKey,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { aNewApiKey, hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ODD_NAMES } from '../test-data/odd-texts.ts'
import { after } from '../test-data/times.ts'

/** Pets with values that a conversion changes. */
export const ODD: readonly NewPet[] = [
  aNewPet({ name: 'Top', categoryId: INT64.max, status: 'sold' }),
  aNewPet({ name: 'Bottom', categoryId: INT64.min }),
  aNewPet({
    name: ' it\'s "odd"\\,{}\t\r\n🐕 NULL ',
    categoryId: 2n ** 53n + 1n,
    status: 'pending',
  }),
  aNewPet({ name: 'NULL', categoryId: 0n, status: 'available' }),
]
/** Pets with odd names, all of them. */
export const ODDLY_NAMED: readonly NewPet[] = ODD_NAMES.map((name) => aNewPet({ name }))
/** As many pets as the program writes at a time. */
export const MANY: readonly NewPet[] = Array.from({ length: 5_000 }, (_, index) =>
  aNewPet({ name: `Pet ${index}`, categoryId: BigInt(index) }),
)
/** A limit beyond the number of pets of any case. */
export const ALL = 1_000_000

/** Everything that bulk access reads. */
export function readEverything(bulk: BulkAccess): Promise<readonly unknown[]> {
  return Promise.all([
    bulk.readPets({ limit: 9 }),
    bulk.countPets(),
    bulk.lastPetId(),
    bulk.readPetImports(),
    bulk.readIdempotencyKeys(9),
    bulk.readApiKeys(),
  ])
}

/** An import that has begun. */
export function importOf(fields: Partial<PetImport> = {}): PetImport {
  return {
    id: 1n,
    sha256: hashOf('a'),
    state: 'unfinished',
    lines: 1,
    changedAt: after(5),
    ...fields,
  }
}

/** An import that has ended. */
export function endedImport(): PetImport {
  return importOf({ state: 'finished' })
}

/** An idempotency key as bulk access stores it. */
export function keyOf(owner: string, key: string, petId: bigint): StoredIdempotencyKey {
  return { owner, key, fingerprint: 'f', petId, at: after(5) }
}

/** An API key as bulk access stores it. */
export function apiKeyOf(name: string, fields: Partial<StoredApiKey> = {}): StoredApiKey {
  return { ...aNewApiKey(name), ...fields }
}
