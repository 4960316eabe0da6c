import { PET_STATUSES, type Pet } from '@pet-store/domain'
import type { Persistence, StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'
import { apiKeyOf, importOf, keyOf } from '../bulk-cases/items.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { type Model, nthOf, storePet } from '../model/model.ts'
import type { OpenDatabase } from '../model/open-database.ts'
import { anIdempotencyKey } from '../test-data/new-idempotency-keys.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { after } from '../test-data/times.ts'

/** More than adapters read at a time, or remember; fewer where each is added by a call. */
const BULK = 10_100
const SINGLE = 2_100
/** Some databases pass at most 8,000 values to a function, such as the ids of a list. */
const SINGLE_PETS = 8_200
/** So many only in an adapter that stores them in this time. */
const ADDING_MS = 6_000
const AT_ONCE = 50

/** Most have one status, so a search for another one has far to go. */
const newPet = (index: number) =>
  aNewPet({
    name: `Pet ${index}`,
    status: index % 1_000 === 0 ? PET_STATUSES[2] : PET_STATUSES[0],
  })

const newApiKey = (index: number): StoredApiKey =>
  apiKeyOf(`${index}`, { createdAt: after(index % 7) })

/** Stores thousands of pets, idempotency keys and API keys. */
export async function fillDatabase(model: Model, database: OpenDatabase): Promise<void> {
  if (database.harness.openBulkAccess === undefined) await addOneByOne(model, database)
  else await writeInBulk(model, database)
}

async function writeInBulk(model: Model, database: OpenDatabase): Promise<void> {
  const indexes = Array.from({ length: BULK }, (_, index) => index)
  const pets = indexes.map((index): Pet => ({ id: BigInt(index + 1), ...newPet(index) }))
  const keys = pets.map(({ id }) => keyOf('many', `${id}`, id))
  const hasKeys = database.openings.every(({ apiKeys }) => apiKeys !== undefined)
  const apiKeys = hasKeys ? indexes.map(newApiKey) : []
  const imports = indexes.slice(0, SINGLE).map((index) => importOf({ id: BigInt(index + 1) }))
  await database.useBulk(async (bulk) => {
    // In one call, which may be of any number.
    await bulk.writePets(pets)
    await bulk.writeIdempotencyKeys(keys)
    await bulk.writePetImports(imports)
    await bulk.writeApiKeys(apiKeys)
    await bulk.movePetIdsPast(BigInt(BULK))
    const limit = 2 * BULK
    const read = [
      (await bulk.readPets({ limit })).length,
      (await bulk.readIdempotencyKeys(limit)).length,
      (await bulk.readApiKeys()).length,
      (await bulk.readPetImports()).length,
    ]
    expectEqual(
      read,
      [BULK, BULK, apiKeys.length, SINGLE],
      'how many are read at once that were written',
    )
  })
  for (const pet of pets) storePet(model, pet)
  for (const one of imports) model.imports.set(one.id, one)
  storeKeys(model, keys, apiKeys)
}

async function addOneByOne(model: Model, { openings }: OpenDatabase): Promise<void> {
  const { pets, apiKeys } = nthOf(openings, 0) as Persistence
  const keys: StoredIdempotencyKey[] = []
  const add = async (index: number) => {
    const key = anIdempotencyKey({ owner: 'many', key: `${index}`, fingerprint: 'f' })
    const { pet } = await pets.addWithKey(newPet(index), key)
    keys.push({ ...key, petId: pet.id })
    return pet
  }
  const added = await inGroups(SINGLE, add, AT_ONCE)
  const start = performance.now()
  while (added.length < SINGLE_PETS && performance.now() - start < ADDING_MS) {
    const first = added.length
    added.push(...(await inGroups(AT_ONCE, (index) => pets.add(newPet(first + index)), AT_ONCE)))
  }
  const all = Array.from({ length: apiKeys === undefined ? 0 : SINGLE }, (_, index) =>
    newApiKey(index),
  )
  await inGroups(
    all.length,
    (index) => apiKeys?.add(all[index] as StoredApiKey) as Promise<void>,
    AT_ONCE,
  )
  for (const pet of added.sort((one, other) => (one.id < other.id ? -1 : 1))) storePet(model, pet)
  model.lastIds[0] = added.at(-1)?.id ?? 0n
  storeKeys(model, keys, all)
}

function storeKeys(
  model: Model,
  keys: readonly StoredIdempotencyKey[],
  apiKeys: readonly StoredApiKey[],
): void {
  for (const key of keys) model.idempotencyKeys.set(JSON.stringify([key.owner, key.key]), key)
  for (const key of apiKeys) model.apiKeys.set(key.id, key)
}
