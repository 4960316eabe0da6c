import type { SqlEntityManager } from '@mikro-orm/sql'
import type { NewPet, PetStatus } from '@pet-store/domain'
import type { BulkColumns } from './bulk-columns.ts'
import { type ApiKeyBulkRow, compileBulkStatements, type PetBulkRow, type PetImportRow } from './bulk-statements.ts'
import type { SqlValue, StatementRunner } from './statement-runner.ts'

/**
 * The rows of one database as they are, many at a time: for moving them to another, or in and out of files. No rule of
 * the domain is applied, and nothing is left out. Who opened it closes it.
 */
export interface BulkAccess {
  countPets(): Promise<number>
  /** Pets by ascending id from after this one on; only those with this status, if one is given. */
  readPets(after: bigint, limit: number, status?: PetStatus): Promise<readonly PetBulkRow[]>
  /** Stores rows under the ids that they have: all, or none. */
  writePets(rows: readonly PetBulkRow[]): Promise<void>
  /**
   * Stores new pets, in this order, under ids that they get now, and notes how far their import is: all of it, or
   * nothing. Rejects where the import is no longer where it was to be moved from, or another was begun under its id.
   */
  addPets(pets: readonly NewPet[], step?: PetImportStep): Promise<void>
  /** Every import that was noted, by ascending id. */
  readPetImports(): Promise<readonly PetImportRow[]>
  /** Stores notes of imports: all, or none. */
  writePetImports(rows: readonly PetImportRow[]): Promise<void>
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

/** How an import moves on, keeping its id; without `from` it begins. */
export interface PetImportStep {
  readonly from?: PetImportRow
  readonly to: PetImportRow
}

/** What each database does in its own way. */
export interface BulkWriter extends Pick<BulkAccess, 'lastPetId' | 'movePetIdsPast' | 'close'> {
  /**
   * Inserts rows into a table in one transaction: all, or none. Where a statement comes with them that changes no row,
   * nothing is inserted either, and the answer is false.
   */
  insert(table: BulkColumns, rows: readonly object[], also?: BulkStatement): Promise<boolean>
}

/** A statement with its values. */
export interface BulkStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** Joins what databases share, reading by statements that the ORM compiled, with what each does in its own way. */
export function createBulkAccess(em: SqlEntityManager, runner: StatementRunner, writer: BulkWriter): BulkAccess {
  const statements = compileBulkStatements(em)
  const { pets, newPets, apiKeys, petImports, beginPetImport, movePetImport } = statements
  const count = runner.readOne(statements.countPets, (row) => Number(row.count))
  const read = runner.readAll(statements.readPets, (row) => row)
  const readWith = runner.readAll(statements.readPetsWith, (row) => row)
  const readKeys = runner.readAll(statements.readApiKeys, (row) => row)
  const readImports = runner.readAll(statements.readPetImports, (row) => row)
  const { insert, ...rest } = writer

  async function write(table: BulkColumns, rows: readonly object[]): Promise<void> {
    await insert(table, rows)
  }

  function moveImport({ from, to }: PetImportStep): BulkStatement {
    const values = [to.sha256, to.state, to.lines, to.changed_at]
    if (from === undefined) return { sql: beginPetImport.sql, values: [to.id, ...values] }
    return { sql: movePetImport.sql, values: [...values, from.id, from.sha256, from.state] }
  }

  return {
    ...rest,
    countPets: async () => (await count([])) ?? 0,
    readPets: (after, limit, status) =>
      status === undefined ? read([after, limit]) : readWith([status, after, limit]),
    writePets: (rows) => write(pets, rows),
    async addPets(added, step) {
      const done = await insert(newPets, added.map(newPetRow), step && moveImport(step))
      if (!done) throw new Error('Another import is running. Run this one again when that has ended.')
    },
    readPetImports: () => readImports([]),
    writePetImports: (rows) => write(petImports, rows),
    readApiKeys: () => readKeys([]),
    writeApiKeys: (rows) => write(apiKeys, rows),
  }
}

function newPetRow({ name, categoryId, status }: NewPet) {
  return { name, category_id: categoryId, status: status ?? null }
}
