import type { PetId } from '@pet-store/domain'
import type { NewKeyColumns, NewPetColumns, PetWriter } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import type { GroupedWrites } from './grouped-writes.ts'
import { FIND_KEY, INSERT_KEY, INSERT_PET } from './pet-insert-statements.ts'

/** Adds pets. All pets of one turn of the event loop share a transaction. */
export function createSqlitePetWriter(database: Database, writes: GroupedWrites): PetWriter {
  // A number would be rounded, and `safeIntegers` makes it a bigint.
  const insertPet = database.prepare<[NewPetColumns]>(INSERT_PET).safeIntegers()
  const findKey = database.prepare(FIND_KEY)
  const insertKey = database.prepare(INSERT_KEY)

  const add = (pet: NewPetColumns) => insertPet.run(pet).lastInsertRowid as PetId

  /** Runs inside the transaction of its group. A savepoint would take a third of its time. */
  function addWithKey(
    [owner, key, fingerprint, at]: NewKeyColumns,
    pet: NewPetColumns,
  ): PetId | undefined {
    // SQLite has one writer at a time: that the key is not there stays true.
    if (findKey.get(owner, key) !== undefined) return undefined
    const id = add(pet)
    try {
      insertKey.run(owner, key, fingerprint, at, id)
      return id
    } catch (error) {
      // Hardly anything but the disk can be the reason. No pet stays without its key, so the whole
      // group ends.
      if (database.inTransaction) database.exec('rollback')
      throw error
    }
  }

  return {
    get waiting() {
      return writes.waiting
    },
    add: (pet, cancellation) => writes.add(() => add(pet), pet, cancellation),
    addWithKey: (key, pet, cancellation) =>
      writes.add(() => addWithKey(key, pet), [...key, ...pet], cancellation),
  }
}
