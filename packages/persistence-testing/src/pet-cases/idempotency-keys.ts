import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  type IdempotencyKey,
  type NewPet,
  type Pet,
  type PetRepository,
} from '@pet-store/domain'
import { expectRejection } from '../case/expectations.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { after } from '../test-data/times.ts'

/** The time of the first use of a key. */
export const START_MS: number = after(0).getTime()
/** The last time at which such a key is valid. */
export const LAST_MS: number = START_MS + IDEMPOTENCY_KEY_LIFETIME_MS - 1
const REUSED = { name: 'PetError', code: 'idempotency_key_reused' }

export async function addUnder(
  pets: PetRepository,
  pet: NewPet,
  key: IdempotencyKey,
): Promise<Pet> {
  return (await pets.addWithKey(pet, key)).pet
}

export function expectReused(call: () => Promise<unknown>): Promise<void> {
  return expectRejection(
    async () => call(),
    'addWithKey must reject other content with a used key',
    REUSED,
  )
}

/** A key that is used at a time in milliseconds. */
export function keyWith({
  atMs = START_MS,
  ...fields
}: {
  owner?: string
  key?: string
  fingerprint?: string
  atMs?: number
}): IdempotencyKey {
  return anIdempotencyKey({ ...fields, at: new Date(atMs) })
}
