import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectImpossible } from '../case/expectations.ts'
import { aNewPet } from '../test-data/new-pets.ts'
import { ALL, apiKeyOf, importOf, keyOf } from './items.ts'

/** More than there are connections for bulk access, or transactions that may stay open. */
const OFTEN = 40

/** What a call that is rejected used is free again. */
export const bulkRejectingCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'rejected: works after many calls of each kind that it has rejected': async (bulk) => {
    const stored = { id: 7n, ...aNewPet() }
    await bulk.writePets([stored])
    await bulk.movePetIdsPast(7n)
    await bulk.addPets([], { to: importOf() })
    const key = apiKeyOf('stored')
    await bulk.writeApiKeys([key])
    const advanced = { from: importOf({ lines: 9 }), to: importOf({ lines: 10 }) }
    const calls: Readonly<Record<string, () => Promise<void>>> = {
      'an id that is taken': () => bulk.writePets([stored]),
      'an import that was begun': () => bulk.addPets([aNewPet()], { to: importOf() }),
      'an import that is elsewhere': () => bulk.addPets([aNewPet()], advanced),
      'a hash that is taken': () => bulk.writeApiKeys([{ ...apiKeyOf('new'), sha256: key.sha256 }]),
    }
    for (const [reason, call] of Object.entries(calls))
      for (let count = 0; count < OFTEN; count += 1)
        await expectImpossible(call, `a call must reject because of ${reason}`)
    expectEqual(await bulk.countPets(), 1, 'the number of pets after calls were rejected')
    const to = importOf({ lines: 2 })
    await bulk.addPets([aNewPet()], { from: importOf(), to })
    const pets = await bulk.readPets({ limit: ALL })
    expectEqual(pets.length, 2, 'the number of pets that are added afterwards')
    expectEqual(await bulk.readPetImports(), [to], 'the import that advances afterwards')
    const keys = [keyOf('shop', 'a', 7n)]
    await bulk.writeIdempotencyKeys(keys)
    expectEqual(await bulk.readIdempotencyKeys(9), keys, 'the key that is written afterwards')
    expectEqual(await bulk.readApiKeys(), [key], 'the API key that was stored before')
  },
})
