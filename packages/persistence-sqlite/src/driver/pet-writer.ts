import type { SqlEntityManager } from '@mikro-orm/sqlite'
import type { PetId } from '@pet-store/domain'
import {
  bytesOf,
  columnsOf,
  fieldsOf,
  IDEMPOTENCY_KEY_CODEC,
  IdempotencyKeyRecord,
  NEW_PET_CODEC,
  type NewKeyColumns,
  type NewPetColumns,
  PetRecord,
  type PetWriter,
} from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import type { GroupedWrites } from './grouped-writes.ts'

/** Adds pets; those of one turn of the event loop share a transaction. */
export function createSqlitePetWriter(em: SqlEntityManager, database: Database, writes: GroupedWrites): PetWriter {
  const statements = compileAdds(em)
  const insertPet = database.prepare<[NewPetColumns]>(statements.insertPet).safeIntegers()
  const findKey = database.prepare(statements.findKey)
  const insertKey = database.prepare(statements.insertKey)

  // A number would be rounded, and `safeIntegers` makes it a bigint.
  const add = (pet: NewPetColumns) => insertPet.run(pet).lastInsertRowid as PetId

  // Inside the transaction of the group this is a savepoint. SQLite has one writer at a time: that the key is not there
  // stays true.
  const addBoth = database.transaction(([owner, key, fingerprint, at]: NewKeyColumns, pet: NewPetColumns) => {
    if (findKey.get(owner, key) !== undefined) return undefined
    const id = add(pet)
    insertKey.run(owner, key, fingerprint, at, id)
    return id
  })

  return {
    add: (pet, cancellation) => writes.add(() => add(pet), bytesOf(pet), cancellation),
    addWithKey: (key, pet, cancellation) =>
      writes.add(() => addBoth(key, pet), bytesOf(key) + bytesOf(pet), cancellation),
  }
}

function compileAdds(em: SqlEntityManager) {
  const { table, columns } = columnsOf(em, PetRecord, fieldsOf(NEW_PET_CODEC))
  const names = columns.map(({ name }) => name).join(', ')
  const { table: keys, column: key } = columnsOf(em, IdempotencyKeyRecord, fieldsOf(IDEMPOTENCY_KEY_CODEC))
  return {
    insertPet: `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`,
    findKey: `select 1 from ${keys} where ${key.owner} = ? and ${key.key} = ?`,
    insertKey: `insert into ${keys} (${key.owner}, ${key.key}, ${key.fingerprint}, ${key.at}, ${key.petId})
      values (?, ?, ?, ?, ?)`,
  }
}
