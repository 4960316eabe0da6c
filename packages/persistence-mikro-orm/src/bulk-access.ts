import type { SqlEntityManager } from '@mikro-orm/sql'
import { type ApiKeyBulkRow, type BulkColumns, compileBulkStatements, type PetBulkRow } from './bulk-statements.ts'
import type { StatementRunner } from './statement-runner.ts'

/**
 * The rows of one database as they are, many at a time: for moving them to another. No rule of the domain is applied,
 * and nothing is left out. Who opened it closes it.
 */
export interface BulkAccess {
  countPets(): Promise<number>
  /** Pets by ascending id from after this one on. */
  readPets(after: bigint, limit: number): Promise<readonly PetBulkRow[]>
  /** Stores rows under the ids that they have: all, or none. */
  writePets(rows: readonly PetBulkRow[]): Promise<void>
  /** Every API key, by ascending id. */
  readApiKeys(): Promise<readonly ApiKeyBulkRow[]>
  /** Stores API keys: all, or none. */
  writeApiKeys(rows: readonly ApiKeyBulkRow[]): Promise<void>
  /** The last id that was given to a pet, also to one that is gone; 0 where none was. */
  lastPetId(): Promise<bigint>
  /** Sees to it that new pets get greater ids than this one. */
  movePetIdsPast(id: bigint): Promise<void>
  close(): Promise<void>
}

/** What each database does in its own way. */
export interface BulkWriter extends Pick<BulkAccess, 'lastPetId' | 'movePetIdsPast' | 'close'> {
  /** Inserts rows into a table in one transaction: all, or none. */
  insert(table: BulkColumns, rows: readonly object[]): Promise<void>
}

/** Joins what databases share, reading by statements that the ORM compiled, with what each does in its own way. */
export function createBulkAccess(em: SqlEntityManager, runner: StatementRunner, writer: BulkWriter): BulkAccess {
  const { countPets, readPets, readApiKeys, pets, apiKeys } = compileBulkStatements(em)
  const count = runner.readOne(countPets, (row) => Number(row.count))
  const read = runner.readAll(readPets, (row) => row)
  const readKeys = runner.readAll(readApiKeys, (row) => row)
  const { insert, ...rest } = writer

  return {
    ...rest,
    countPets: async () => (await count([])) ?? 0,
    readPets: (after, limit) => read([after, limit]),
    writePets: (rows) => insert(pets, rows),
    readApiKeys: () => readKeys([]),
    writeApiKeys: (rows) => insert(apiKeys, rows),
  }
}
