import type { PetId } from '@pet-store/domain'
import type { NewKeyColumns, NewPetColumns, PetWriter } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { rejected } from '../database/failures.ts'
import type { GroupedWrites } from './grouped-writes.ts'
import { FIND_KEY, INSERT_KEY, INSERT_PET } from './pet-insert-statements.ts'

/** Adds pets. Those of one turn of the event loop are added in one transaction. */
export function createSqlitePetWriter(database: Database, writes: GroupedWrites): PetWriter {
  // With `safeIntegers` the id is a bigint; as a number it would be rounded.
  const insertPet = database.prepare<[NewPetColumns]>(INSERT_PET).safeIntegers()
  const findKey = database.prepare(FIND_KEY)
  const insertKey = database.prepare(INSERT_KEY)

  function add(pet: NewPetColumns): PetId {
    const { changes, lastInsertRowid } = insertPet.run(pet)
    // A trigger of the operator has left the row out, and the id is that of another pet.
    if (changes === 0) throw rejected()
    return lastInsertRowid as PetId
  }

  /**
   * Runs inside the transaction of its group, without a savepoint of its own, which would take a
   * third of its time.
   */
  function addWithKey(
    [owner, key, fingerprint, at]: NewKeyColumns,
    pet: NewPetColumns,
  ): PetId | undefined {
    // SQLite has one writer at a time, so no one else can add the key after this.
    if (findKey.get(owner, key) !== undefined) return undefined
    const id = add(pet)
    try {
      insertKey.run(owner, key, fingerprint, at, id)
      return id
    } catch (error) {
      // The reason can hardly be anything but the disk. Rolls the whole group back, so that the pet
      // is not stored without its key.
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
