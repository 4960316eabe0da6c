import type { Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { ALL, apiKeyOf, importOf, keyOf } from '../bulk-cases/items.ts'
import { expectEqual } from '../case/expectations.ts'
import { aNewPet } from '../test-data/new-pets.ts'

/**
 * Expects every function of bulk access to work, each on what the others have written. `id` is
 * greater than those of all pets and imports but for calls at the same time, whose ids differ by
 * 100 or more; the one 50 above it is used too.
 */
export async function expectBulkWorks(bulk: BulkAccess, id: bigint): Promise<void> {
  const when = `of bulk access that works with ${id}`
  const before = await bulk.countPets()
  const pet: Pet = { id, ...aNewPet({ name: `written ${id}`, status: 'sold' }) }
  await bulk.writePets([pet])
  // Beyond those that are written.
  const last = id + 9n
  await bulk.movePetIdsPast(last)
  expectEqual(
    (await bulk.lastPetId()) >= last,
    true,
    `whether lastPetId ${when} is at least ${last}`,
  )
  for (const query of [{}, { status: 'sold' }] as const)
    expectEqual(
      await bulk.readPets({ ...query, after: id - 1n, limit: 1 }),
      [pet],
      `the pet that was written ${when}`,
    )
  const added = aNewPet({ name: `added ${id}` })
  const imports = [importOf({ id }), importOf({ id: id + 50n })] as const
  await bulk.addPets([added], { to: imports[0] })
  const following = await bulk.readPets({ after: id, limit: ALL })
  expectEqual(
    following.filter(({ name }) => name === added.name).length,
    1,
    `the number of pets that were added ${when}`,
  )
  await bulk.writePetImports([imports[1]])
  const areOwn = imports.map((one) => one.id)
  expectEqual(
    (await bulk.readPetImports()).filter((one) => areOwn.includes(one.id)),
    imports,
    `the imports ${when}`,
  )
  const key = keyOf('shop', `${id}`, id)
  await bulk.writeIdempotencyKeys([key])
  expectEqual(
    (await bulk.readIdempotencyKeys(ALL)).filter((one) => one.key === key.key),
    [key],
    `the idempotency key ${when}`,
  )
  // The others come at other positions: all of these texts have the same length.
  expectEqual(
    await bulk.readIdempotencyKeys(1, { owner: 'shop', key: `${id - 1n}` }),
    [key],
    `the next idempotency key ${when}`,
  )
  const apiKey = apiKeyOf(`${id}`)
  await bulk.writeApiKeys([apiKey])
  expectEqual(
    (await bulk.readApiKeys()).filter((one) => one.id === apiKey.id),
    [apiKey],
    `the API key ${when}`,
  )
  expectEqual((await bulk.countPets()) >= before + 2, true, `whether two pets more ${when}`)
}
