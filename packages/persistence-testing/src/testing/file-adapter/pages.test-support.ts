import type { NewPet } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import type { FakeBulk } from '../fake-bulk.test-support.ts'
import { broken } from '../fault.test-support.ts'
import { transaction } from './state.test-support.ts'
import { wait } from './wait.test-support.ts'

/** The last id that was assigned to a new pet, in any file of this process. */
const assigned = new WeakMap<object, bigint>()

/**
 * Gives the pets of a call ids one after the other, if only the first of them is not taken. Or
 * rejects a page with a taken id, and keeps the pets before it.
 */
export function checkFirstOfPage(bulk: FakeBulk, keepsRejected: boolean): void {
  const { memory, addPets, writePets } = bulk
  const lastOf = () => assigned.get(memory) ?? memory.lastId
  const keep = async (pets: readonly NewPet[]) => {
    await addPets.call(bulk, pets)
    return broken()
  }
  bulk.writePets = (pets) => {
    assigned.set(memory, lastOf())
    return writePets.call(bulk, pets)
  }
  bulk.addPets = (...given: Parameters<BulkAccess['addPets']>) => {
    let first = lastOf() + 1n
    while (memory.pets.has(first)) first += 1n
    const [pets] = given
    for (let index = 1; index < pets.length; index += 1) {
      const id = first + BigInt(index)
      if (keepsRejected && memory.pets.has(id)) return keep(pets.slice(0, index))
      memory.pets.delete(id)
    }
    return addPets.apply(bulk, given)
  }
}

/** Looks for the hash of a key; another call may store a key with it before this one is stored. */
export async function writeUnlessKnown(pathname: string, key: StoredApiKey): Promise<void> {
  const isKnown = transaction(pathname, ({ apiKeys }) => apiKeys.isTaken(key))
  if (isKnown) broken()
  await wait(1)
  transaction(pathname, (state, save) => {
    state.apiKeys.rows.push({ ...key })
    save(state)
  })
}
