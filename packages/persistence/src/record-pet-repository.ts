import {
  type Cancellation,
  type CreatedPet,
  type IdempotencyKey,
  type NewPet,
  PetError,
  type PetQuery,
  type PetRepository,
} from '@pet-store/domain'
import type { CallGuard } from './call-guard.ts'
import { type PetRecord, petFromRecord, petToRecord } from './pet-record.ts'

/** The rows of pets in a database, and the idempotency keys that they were added with. */
export interface PetRecords {
  /**
   * Stores a pet, which has no `id` yet, under the next id, durably, and returns its row.
   *
   * With a key, in one atomic step: if a call with the same `name` stored a pet less than
   * `IDEMPOTENCY_KEY_LIFETIME_MS` before, and that pet is still there, nothing is stored. Then it
   * returns the row of that pet as a replay, or `reused` if the fingerprints differ.
   *
   * If this takes several requests, such as one for the id, look at `cancellation` right before the
   * one that stores the pet: if it is aborted, throw `persistenceUnavailable()`.
   */
  add(
    pet: PetRecord,
    key?: IdempotencyKeyRecord,
    cancellation?: Cancellation,
  ): Promise<AddedPetRecord | 'reused'>
  /** The row with this `id`. */
  find(id: string): Promise<PetRecord | undefined>
  /** The rows that `PetRepository.list` asks for, in its order. */
  list(query: PetQuery): Promise<readonly PetRecord[]>
}

/** An idempotency key as one flat row. */
export interface IdempotencyKeyRecord {
  /** The owner and the key as one text. It is equal only if both are. */
  readonly name: string
  /** The owner alone, and the key alone: bulk access reads and writes them in the order of both. */
  readonly owner: string
  readonly key: string
  readonly fingerprint: string
  /** The time of the call in milliseconds. Absent: now, by the clock of the database. */
  readonly at?: number
}

/** The row that an add has stored, or that an earlier one with the same key has. */
export interface AddedPetRecord {
  readonly pet: PetRecord
  readonly isReplay: boolean
}

/** Implements `PetRepository` on `records`; `guard` gives each call a deadline and an outcome. */
export function createRecordPets(records: PetRecords, guard: CallGuard): PetRepository {
  async function create(
    pet: NewPet,
    idempotencyKey?: IdempotencyKey,
    cancellation?: Cancellation,
  ): Promise<CreatedPet> {
    // Now, because the call may wait, and the caller may change what it has given meanwhile.
    const record = petToRecord(pet)
    const key = idempotencyKey && keyToRecord(idempotencyKey)
    return guard.write(async () => {
      const added = await records.add(record, key, cancellation)
      if (added === 'reused')
        throw new PetError('idempotency_key_reused', 'This key was used to create another pet.')
      return { pet: petFromRecord(added.pet), isReplay: added.isReplay }
    }, cancellation)
  }

  return {
    add: async (pet, cancellation) => (await create(pet, undefined, cancellation)).pet,
    addWithKey: create,
    find: (id) =>
      guard.read(async () => {
        const record = await records.find(id.toString())
        return record && petFromRecord(record)
      }),
    list(query) {
      const given = { ...query }
      return guard.read(async () => (await records.list(given)).map(petFromRecord))
    },
  }
}

function keyToRecord({ owner, key, fingerprint, at }: IdempotencyKey): IdempotencyKeyRecord {
  const name = JSON.stringify([owner, key])
  return { name, owner, key, fingerprint, ...(at !== undefined && { at: at.getTime() }) }
}
