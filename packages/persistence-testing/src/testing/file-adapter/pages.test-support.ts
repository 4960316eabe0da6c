import type { BulkAccess } from '@pet-store/persistence'
import type { FakeBulk } from '../fake-bulk.test-support.ts'

/** The last id that was assigned to a new pet, in any file of this process. */
const assigned = new WeakMap<object, bigint>()

/** Gives the pets of a call ids one after the other, if only the first of them is not taken. */
export function checkFirstOfPage(bulk: FakeBulk): void {
  const { memory, addPets, writePets } = bulk
  const lastOf = () => assigned.get(memory) ?? memory.lastId
  bulk.writePets = (pets) => {
    assigned.set(memory, lastOf())
    return writePets.call(bulk, pets)
  }
  bulk.addPets = (...given: Parameters<BulkAccess['addPets']>) => {
    let first = lastOf() + 1n
    while (memory.pets.has(first)) first += 1n
    for (let index = 1; index < given[0].length; index += 1)
      memory.pets.delete(first + BigInt(index))
    return addPets.apply(bulk, given)
  }
}
