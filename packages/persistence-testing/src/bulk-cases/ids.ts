import { INT64 } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { aNewPet, withoutId } from '../test-data/new-pets.ts'
import { ALL, ODD } from './items.ts'

/** The ids of new pets are moved forwards, never back. */
export const bulkIdCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'ids.none: leaves the ids of an empty database where they are when they are moved past none':
    async (bulk) => {
      await bulk.movePetIdsPast(await bulk.lastPetId())
      await bulk.movePetIdsPast(-5n)
      expectEqual(await bulk.lastPetId(), 0n, 'lastPetId of an empty database')
      await bulk.addPets(ODD)
      const stored = await bulk.readPets({ limit: ALL })
      expectEqual(stored.map(withoutId), ODD, 'readPets must return the pets that were added')
      expectEqual(
        stored.every(({ id }) => id > 0n),
        true,
        'whether their ids are greater than 0',
      )
      expectEqual(
        await bulk.lastPetId(),
        stored.at(-1)?.id,
        'lastPetId after the first pets were added',
      )
    },
  'ids: moves the ids of new pets forwards, never back, up to the greatest integer of 64 bits':
    async (bulk) => {
      // Before the first pet too: a copy of a database may have no pets, and a last id.
      await bulk.movePetIdsPast(5n)
      expectEqual(
        (await bulk.lastPetId()) >= 5n,
        true,
        'whether lastPetId is at least 5 after ids were moved, without pets',
      )
      await bulk.addPets(ODD)
      const [first] = await bulk.readPets({ limit: 1 })
      expectEqual(
        first !== undefined && first.id > 5n,
        true,
        'whether the first id is greater than 5',
      )
      await bulk.movePetIdsPast(1_000n)
      await bulk.movePetIdsPast(10n)
      await bulk.addPets(ODD.slice(0, 1))
      const last = (await bulk.readPets({ limit: ALL })).at(-1)?.id ?? 0n
      expectEqual(last > 1_000n, true, 'whether the next id is greater than 1000')
      expectEqual(
        await bulk.lastPetId(),
        last,
        'lastPetId after ids were moved and a pet was added',
      )
      // A smaller id that is free does not move them back.
      await bulk.writePets([{ id: 500n, ...aNewPet() }])
      await bulk.addPets(ODD.slice(0, 1))
      const next = (await bulk.readPets({ limit: ALL })).at(-1)?.id ?? 0n
      expectEqual(next > last, true, 'whether the id after a written one is greater than before')
      await bulk.movePetIdsPast(INT64.max - 2n)
      await bulk.addPets(ODD.slice(0, 1))
      const stored = await bulk.readPets({ limit: ALL })
      expectEqual(
        stored.at(-1)?.id,
        INT64.max - 1n,
        'the id that a pet gets after ids were moved past INT64.max - 2',
      )
      await bulk.movePetIdsPast(INT64.max)
      expectEqual(
        await bulk.lastPetId(),
        INT64.max,
        'lastPetId after ids were moved past INT64.max',
      )
      await expectRejection(
        async () => bulk.addPets(ODD.slice(1, 2)),
        'addPets must reject a pet without an id for it',
      )
      expectEqual(await bulk.readPets({ limit: ALL }), stored, 'the stored pets must not change')
    },
})
