import type { NewPet, Pet } from '@pet-store/domain'
import type { BulkAccess } from '@pet-store/persistence'
import { withBulk } from '../adapter/with-bulk.ts'
import { withPersistence } from '../adapter/with-persistence.ts'
import { importOf } from '../bulk-cases/items.ts'
import { casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import type { HarnessCase } from '../harness/persistence-harness.ts'
import { addKeyed, aNewPet } from '../test-data/new-pets.ts'
import { ascending, listAll } from '../test-data/stored-pets.ts'

const GROUP = { group: 'persistence.bulk', timeLimitMs: 180_000 }

/** More ids, one after the other, than an adapter tries before it says that an add failed. */
const WITHOUT_GAPS = Array.from({ length: 40 }, (_, index) => BigInt(3 + index))

/**
 * The greatest is written first, or last, or between others, as calls of an import come. Or there
 * is no free id between them.
 */
const ORDERS: readonly (readonly (readonly bigint[])[])[] = [
  [[12n, 3n, 9n, 6n]],
  [[6n, 12n, 3n]],
  [[12n], [3n, 5n]],
  [WITHOUT_GAPS],
]
const ADDS = 16
/** How many pets are added at the same time: an adapter may assign their ids together. */
const AT_ONCE = [1, 8] as const

/** Ids that are taken although they were not moved past. */
export const bulkWrittenIdCases: readonly HarnessCase[] = casesOf(GROUP, {
  'written-ids: gives no new pet the id of one that bulk access has written, in any order': async (
    harness,
  ) => {
    for (const order of ORDERS)
      for (const atOnce of AT_ONCE) await expectKept(order, atOnce)(harness)
  },
})

/** A new pet gets another id, or is not stored; nor is its page then. */
function expectKept(calls: readonly (readonly bigint[])[], atOnce: number): HarnessCase['run'] {
  return withBulk(async (harness, url, bulk) => {
    const all = new Map<bigint, Pet>()
    const write = async (open: BulkAccess, last = 0n) => {
      for (const ids of calls) {
        const pets = ids.map((id) => ({ id: id + last, ...aNewPet({ name: `written ${id}` }) }))
        await open.writePets(pets)
        for (const pet of pets) all.set(pet.id, pet)
      }
    }
    await bulk(write)
    await withPersistence(harness, url, async ({ pets }) => {
      const add = async (count: number) => {
        const pet = aNewPet({ name: `added ${count}` })
        try {
          const added = await (count % 4 < 2 ? pets.add(pet) : addKeyed(pets, pet))
          expectEqual(all.get(added.id), undefined, `the pet that had the id ${added.id}`)
          all.set(added.id, added)
        } catch (error) {
          // An id that is taken is no fault of the caller, and the next one may be free.
          if ((error as { readonly outcome?: unknown }).outcome !== 'not_stored') throw error
        }
      }
      await inGroups(ADDS, add, atOnce)
      expectStored(await listAll(pets), all)
    })
    await bulk(async (open) => {
      const ids = [await open.lastPetId(), ...all.keys()]
      await write(open, ascending(ids).at(-1))
      const page: readonly NewPet[] = Array(atOnce).fill(aNewPet({ name: 'bulk' }))
      let pages = 0
      for (let count = 0; count < ADDS; count += atOnce) {
        const progress = { to: importOf({ id: BigInt(count + 1) }) }
        const isAdded = await open.addPets(page, progress).then(
          () => true,
          () => false,
        )
        if (isAdded) pages += 1
      }
      const stored = await open.readPets({ limit: 1_000 })
      const others = stored.filter(({ name }) => name !== 'bulk')
      expectStored(others, all)
      expectEqual(
        [stored.length - others.length, (await open.readPetImports()).length],
        [atOnce * pages, pages],
        `the pets and the imports of ${pages} pages that were added`,
      )
    })
  })
}

function expectStored(stored: readonly Pet[], all: ReadonlyMap<bigint, Pet>): void {
  const sorted = [...all.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  expectEqual(stored, sorted, 'the pets that were written or added must be stored as they were')
}
