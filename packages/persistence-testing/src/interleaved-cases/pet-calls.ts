import type { IdempotencyKey, PetId } from '@pet-store/domain'
import { addCall } from '../call-choices/add-choices.ts'
import { bulkCall, ifBulkBeside } from '../call-choices/bulk-call.ts'
import { WRITE_IDEMPOTENCY_KEYS } from '../call-choices/bulk-key-choices.ts'
import { MOVE_PET_IDS_PAST, READ_PETS, WRITE_PETS } from '../call-choices/bulk-pet-choices.ts'
import { findCall, listPets } from '../call-choices/pet-choices.ts'
import type { Model } from '../model/model.ts'
import type { Choice } from '../model/model-call.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import type { CallOf } from './call-of.ts'

const HOUR_MS = 3_600_000

const keyOf = (key: string) => ({ owner: 'shop', key, fingerprint: 'x' })

/** Adds a pet of this name with this idempotency key. */
const addWithKey = (opening: number, name: string, key: IdempotencyKey = keyOf(name)) =>
  addCall(opening, aNewPet({ name }), key)

const lastId = ({ usedIds }: Model) =>
  [...usedIds].reduce((one, other) => (one > other ? one : other), 0n)

/** The id of the pet that was added first of all that the calls are about. */
const knownId = ({ idempotencyKeys }: Model, name: string): PetId =>
  idempotencyKeys.get(JSON.stringify(['shop', `${name} known`]))?.petId as PetId

/** No other pet is near, so that pages are short. */
const WRITTEN = 2n ** 50n
const writtenIds = (opening: number, name: string): readonly PetId[] =>
  [1, 2].map((number) => -WRITTEN + BigInt(100 * Number(name) + 10 * opening + number))

const list: CallOf = (opening, name) => (model, database) =>
  listPets(database, opening, { after: knownId(model, name), limit: MORE })

/** More pets than one pair of calls adds. */
const MORE = 50

/** What is there before each pair of calls: a key that is known, and one that has expired. */
export const petsBefore = (name: string): readonly Choice[] => [
  addWithKey(1, `${name} known`),
  addWithKey(1, `${name} expired`, {
    ...keyOf(`${name} expired`),
    at: new Date(Date.now() - 30 * HOUR_MS),
  }),
]

/** Calls that read pets. */
export const petReads: readonly CallOf[] = [
  list,
  (_, name) => ifBulkBeside(bulkCall(READ_PETS, (model) => [knownId(model, name), MORE])),
]

export const addWithNewKey: CallOf = (opening, name) => addWithKey(opening, `${name} new`)

export const addWithExpiredKey: CallOf = (opening, name) => addWithKey(opening, `${name} expired`)

const addWithReusedKey: CallOf = (opening, name) =>
  addWithKey(opening, `${name} reused`, { ...keyOf(`${name} known`), fingerprint: 'y' })

const writePets: CallOf = (opening, name) =>
  ifBulkBeside(
    bulkCall(WRITE_PETS, () => [
      writtenIds(opening, name).map((id) => ({ id, ...aNewPet({ name: `${name} written` }) })),
    ]),
  )

const writeIdempotencyKey: CallOf = (_, name) =>
  ifBulkBeside(
    bulkCall(WRITE_IDEMPOTENCY_KEYS, (model) => [
      [{ ...keyOf(`${name} new`), at: new Date(), petId: knownId(model, name) }],
    ]),
  )

const movePetIdsPast: CallOf = (opening) =>
  ifBulkBeside(bulkCall(MOVE_PET_IDS_PAST, (model) => [lastId(model) + BigInt(2 + 3 * opening)]))

/** Calls that add, write or delete pets. */
export const petWrites: readonly CallOf[] = [
  (opening, name) => addCall(opening, aNewPet({ name })),
  addWithNewKey,
  addWithExpiredKey,
  (opening, name) => addWithKey(opening, `${name} known`),
  addWithReusedKey,
  writePets,
  writeIdempotencyKey,
  movePetIdsPast,
]

/** Shows which pets there are, and what each idempotency key stands for. */
export const petsAfter = (name: string): readonly Choice[] => [
  list(1, name),
  ...['known', 'new', 'expired'].map((key, index) => addWithKey(index % 2, `${name} ${key}`)),
  list(0, name),
  ...[0, 1].flatMap((opening) => writtenIds(opening, name)).map((id) => findCall(0, () => id)),
]
