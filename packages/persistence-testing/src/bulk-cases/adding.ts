import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, PetImport } from '@pet-store/persistence'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual, expectRejection } from '../case/expectations.ts'
import { unreadable } from '../case/unreadable.ts'
import { hashOf } from '../test-data/new-api-keys.ts'
import { aNewPet, withoutId } from '../test-data/new-pets.ts'
import { ALL, endedImport, importOf, MANY, ODD, ODDLY_NAMED } from './items.ts'

/** New pets are added completely or not at all, with the progress of their import. */
export const bulkAddingCases: readonly ContractCase<BulkAccess>[] = casesOf('bulk', {
  'add: gives many new pets ascending ids in their order, and returns them exactly': async (
    bulk,
  ) => {
    expectEqual(
      [await bulk.countPets(), await bulk.lastPetId()],
      [0, 0n],
      'the number and last id of an empty database',
    )
    await bulk.addPets(ODD)
    await bulk.addPets([])
    await bulk.addPets(ODDLY_NAMED)
    await bulk.addPets(MANY)
    const stored = await bulk.readPets({ limit: ALL })
    const all = [...ODD, ...ODDLY_NAMED, ...MANY]
    expectEqual(
      stored.map(withoutId),
      all,
      'readPets must return new pets in the order in which they were given',
    )
    expectEqual(await bulk.countPets(), all.length, 'the number of pets that addPets has added')
    expectEqual(await bulk.lastPetId(), stored.at(-1)?.id, 'lastPetId after pets were added')
  },
  'add.progress: stores many new pets together with the progress of their import': async (bulk) => {
    const first = importOf()
    const second = importOf({ lines: 2 ** 52 + 1 })
    const end = endedImport()
    await bulk.addPets(ODD, { to: first })
    expectEqual(
      await bulk.readPetImports(),
      [first],
      'readPetImports must return the import that has begun',
    )
    await bulk.addPets(ODD, { from: first, to: second })
    await bulk.addPets([], { from: second, to: end })
    expectEqual(
      await bulk.readPetImports(),
      [end],
      'readPetImports must return the import that has ended',
    )
    expectEqual(await bulk.countPets(), 2 * ODD.length, 'the number of pets of the import')
    const other = importOf({ id: 2n })
    const otherEnd = importOf({ id: 2n, state: 'finished', lines: 4 })
    await bulk.addPets(ODD, { to: other })
    await bulk.addPets(ODD, { from: other, to: otherEnd })
    expectEqual(
      await bulk.readPetImports(),
      [end, otherEnd],
      'readPetImports must return both imports',
    )
    expectEqual(await bulk.countPets(), 4 * ODD.length, 'the number of pets of both imports')
  },
  'add.other-import: stores neither pets nor progress when another process advanced the import':
    async (bulk) => {
      const first = importOf()
      await bulk.addPets(ODD, { to: first })
      const to = importOf({ lines: 7 })
      await expectRejection(
        () => bulk.addPets(ODD, { to: first }),
        'addPets must reject to begin an import that has begun',
      )
      const ofOtherFile = importOf({ sha256: hashOf('other') })
      for (const from of [
        undefined,
        importOf({ id: 2n }),
        importOf({ lines: 2 }),
        endedImport(),
        ofOtherFile,
      ]) {
        await expectRejection(
          () => bulk.addPets(ODD, { to, ...(from && { from }) }),
          'addPets must reject an import that is not where from says',
        )
      }
      await expectRejection(
        () => bulk.addPets(ODD, { from: ofOtherFile, to: { ...ofOtherFile, lines: 7 } }),
        'addPets must reject to continue with another file an import that has its id',
      )
      expectEqual(
        await bulk.countPets(),
        ODD.length,
        'the number of pets after addPets was rejected',
      )
      expectEqual(
        await bulk.readPetImports(),
        [first],
        'a rejected addPets must not change the import',
      )
    },
  'add.concurrent: continues an import once, even if several calls come at the same time': async (
    bulk,
  ) => {
    let from: PetImport | undefined
    for (let pets = 1; pets < 6; pets += 1) {
      const ends = [1, 2, 3, 4, 5].map((index) => importOf({ lines: 10 * pets + index }))
      const results = await Promise.allSettled(
        ends.map(async (to) => bulk.addPets([aNewPet()], { to, ...(from && { from }) })),
      )
      const resolved = ends.filter((_, index) => results[index]?.status === 'fulfilled')
      expectEqual(resolved.length, 1, 'the number of calls from one position that resolve')
      expectEqual(
        await bulk.readPetImports(),
        resolved,
        'readPetImports must return the position of the call that resolved',
      )
      expectEqual(
        await bulk.countPets(),
        pets,
        'the number of pets; each call that resolved has added one',
      )
      from = resolved[0]
    }
  },
  'add.all-or-nothing: stores all new pets of a call or none, with their import': async (bulk) => {
    const pets = [...MANY, unreadable(aNewPet({ status: 'sold' }), 'name')]
    await expectRejection(
      async () => bulk.addPets(pets, { to: importOf() }),
      'addPets must reject an unreadable pet',
    )
    expectEqual(await bulk.countPets(), 0, 'the number of pets after addPets was rejected')
    expectEqual(await bulk.readPetImports(), [], 'the imports after addPets was rejected')
    await bulk.addPets(ODD, { to: importOf() })
    expectEqual(await bulk.countPets(), ODD.length, 'the number of pets after the next call')
    // Only the database may reject the last one of these.
    const nameless = { categoryId: 1n } as unknown as NewPet
    const isStored = await bulk.addPets([...MANY, nameless]).then(
      () => true,
      () => false,
    )
    const expected = ODD.length + (isStored ? MANY.length + 1 : 0)
    expectEqual(await bulk.countPets(), expected, 'the number of pets after a call without a name')
  },
})
