import type { SqlEntityManager } from '@mikro-orm/sql'
import type {
  BulkAccess,
  PetImport,
  PetImportProgress,
  StoredIdempotencyKey,
} from '@pet-store/persistence'
import { apiKeyFromRow, rowFromApiKey } from '../entities/api-key-columns.ts'
import { ApiKeyEntity } from '../entities/api-key-entity.ts'
import { columnsFromPet } from '../entities/pet-columns.ts'
import { PetEntity } from '../entities/pet-entity.ts'
import { PetImportEntity } from '../entities/pet-import-entity.ts'
import type { EntityManagers } from '../orm/entity-managers.ts'
import { SqlPetReader } from '../repositories/sql-pet-reader.ts'
import {
  type IdempotencyKeyColumns,
  idempotencyKeyStatements,
} from '../statements/idempotency-key-statements.ts'
import { petStatements } from '../statements/pet-statements.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'
import type { SqlValues } from '../statements/sql-values.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import {
  type BulkInsert,
  INSERT_NEW_PETS,
  INSERT_PETS,
  REPLACE_IDEMPOTENCY_KEYS,
} from './bulk-insert.ts'

/** The part of bulk access that differs between databases. */
export interface BulkDatabase extends Pick<BulkAccess, 'lastPetId' | 'movePetIdsPast' | 'close'> {
  readonly dialect: SqlDialect
  readonly runner: Pick<StatementRunner, 'readOne' | 'readAll'>
  readonly entities: EntityManagers
  /** Runs work in one transaction: all of it is stored, or nothing. */
  inTransaction(work: (transaction: BulkTransaction) => Promise<void>): Promise<void>
}

/** What can be done in a transaction of `inTransaction`. */
export interface BulkTransaction {
  /** Reads and writes entities in this transaction. */
  readonly em: SqlEntityManager
  /** Returns how many rows it has inserted or replaced. */
  insert(statement: BulkInsert, rows: readonly SqlValues[]): Promise<number>
}

/** Makes the bulk access of a database: what databases share, on the part that differs. */
export function createBulkAccess(database: BulkDatabase): BulkAccess {
  const { dialect, runner, entities, inTransaction, ...own } = database
  const pets = new SqlPetReader(petStatements(dialect), runner)
  const { listKeys, listKeysAfter } = idempotencyKeyStatements(dialect)
  const readKeys = runner.readAll(listKeys, idempotencyKeyFromColumns)
  const readKeysAfter = runner.readAll(listKeysAfter, idempotencyKeyFromColumns)
  const insertAll = (statement: BulkInsert, rows: readonly SqlValues[]) =>
    inTransaction((transaction) => insertIn(transaction, statement, rows))

  return {
    countPets: () => entities.read('pet_count', (em) => em.count(PetEntity)),
    readPets: (query) => pets.list(query),
    writePets: (items) =>
      insertAll(
        INSERT_PETS,
        items.map((pet) => [pet.id, ...columnsFromPet(pet)]),
      ),

    addPets: (items, progress) =>
      inTransaction(async (transaction) => {
        if (progress !== undefined) await advanceImport(transaction.em, progress)
        await insertIn(transaction, INSERT_NEW_PETS, items.map(columnsFromPet))
      }),

    readPetImports: () =>
      entities.read('pet_import_list', async (em) => {
        const rows = await em.find(PetImportEntity, {}, { orderBy: { id: 'asc' } })
        return rows.map(petImportFromRow)
      }),
    async writePetImports(items) {
      if (items.length === 0) return
      await entities.write('pet_import_replace', (em) => {
        const insert = em
          .createQueryBuilder(PetImportEntity)
          .insert(inOrder(items, ({ id }) => [id]))
        return insert.onConflict('id').merge().execute('run')
      })
    },

    readIdempotencyKeys: (limit, after) =>
      after === undefined ? readKeys([limit]) : readKeysAfter([after.owner, after.key, limit]),
    writeIdempotencyKeys: (items) =>
      insertAll(
        REPLACE_IDEMPOTENCY_KEYS,
        inOrder(items, ({ owner, key }) => [owner, key]).map(columnsFromIdempotencyKey),
      ),

    readApiKeys: () =>
      entities.read('api_key_list_stored', async (em) => {
        const rows = await em.find(ApiKeyEntity, {}, { orderBy: { id: 'asc' } })
        return rows.map(apiKeyFromRow)
      }),
    async writeApiKeys(items) {
      if (items.length === 0) return
      await inTransaction(async ({ em }) => {
        // A key that another call is inserting has an id and a hash that are taken. PostgreSQL may
        // notice the hash first, and reject the statement instead of replacing the key.
        await em.execute(`select 1 from ${dialect.apiKeyLock}`)
        const insert = em.createQueryBuilder(ApiKeyEntity).insert(items.map(rowFromApiKey))
        await insert.onConflict('id').merge().execute('run')
      })
    },

    ...own,
  }
}

/** Calls that lock the same rows in different orders would wait for each other. */
function inOrder<Item>(
  items: readonly Item[],
  identityOf: (item: Item) => readonly (bigint | string)[],
): Item[] {
  return items.toSorted((one, other) => {
    const others = identityOf(other)
    for (const [index, own] of identityOf(one).entries()) {
      const theirs = others[index] ?? own
      if (own !== theirs) return own < theirs ? -1 : 1
    }
    return 0
  })
}

/** Throws if another import has advanced beyond `from`, or was begun with the same id. */
async function advanceImport(em: SqlEntityManager, { from, to }: PetImportProgress): Promise<void> {
  const query = em.createQueryBuilder(PetImportEntity)
  const advance =
    from === undefined
      ? query.insert(to).onConflict('id').ignore()
      : query.update(changesOf(to)).where(positionOf(from))
  const { affectedRows } = await advance.execute('run')
  if (affectedRows > 0) return
  throw new Error('Another import is running. Run this one again when it has ended.')
}

/** The columns that an import changes as it advances. */
function changesOf({ id: _, ...changes }: PetImport): Omit<PetImport, 'id'> {
  return changes
}

/** The columns that identify an import and how far it is. */
function positionOf({ changedAt: _, ...position }: PetImport): Omit<PetImport, 'changedAt'> {
  return position
}

function petImportFromRow({ id, sha256, state, lines, changedAt }: PetImport): PetImport {
  return { id, sha256, state, lines, changedAt }
}

function idempotencyKeyFromColumns([
  owner,
  key,
  fingerprint,
  createdAt,
  petId,
]: IdempotencyKeyColumns): StoredIdempotencyKey {
  return { owner, key, fingerprint, petId, at: new Date(Number(createdAt)) }
}

function columnsFromIdempotencyKey({
  owner,
  key,
  fingerprint,
  petId,
  at,
}: StoredIdempotencyKey): IdempotencyKeyColumns {
  return [owner, key, fingerprint, BigInt(at.getTime()), petId]
}

/** Inserts all rows, or rejects, so that the transaction stores nothing. */
async function insertIn(
  { insert }: BulkTransaction,
  statement: BulkInsert,
  rows: readonly SqlValues[],
): Promise<void> {
  const leftOut = rows.length - (await insert(statement, rows))
  if (leftOut > 0)
    throw new Error(`A trigger of the database leaves ${leftOut} of ${rows.length} rows out.`)
}
