import { type InferKyselyDB, type Kysely, type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import type { PetStatus } from '@pet-store/domain'
import { sql } from 'kysely'
import type { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import { NEW_PET_FIELDS, type NewPetColumns, type PetColumns } from '../entities/pet-mapping.ts'
import { PetRecord } from '../entities/pet-record.ts'
import { compileStatement } from './compile-statement.ts'
import type { PositionalStatement, SqlValue } from './statement-runner.ts'
import { columnsOf, type TableColumns } from './table-columns.ts'

/** The columns that `add` of both databases fills, as `compilePetStatements` finds them; the adapters compare it. */
export const PET_INSERT: TableColumns = {
  table: 'pet',
  columns: [
    { name: 'name', isInteger: false },
    { name: 'category_id', isInteger: true },
    { name: 'status', isInteger: false },
  ],
}

type Id = readonly [id: bigint]

/** An idempotency key with its pet; the columns of the pet are `null` if it was deleted by hand. */
export type KeyColumns = readonly [fingerprint: string, at: bigint, petId: bigint, ...PetColumns]

/** The few statements of the hot path. Their text comes from the entities, so a renamed column reaches them too. */
export interface PetStatements {
  readonly add: PositionalStatement<NewPetColumns, Id>
  /** Adds a pet and its idempotency key, both or neither. Returns no row if the key of this owner is taken. */
  readonly addWithKey: PositionalStatement<
    readonly [fingerprint: string, at: bigint, owner: string, key: string, ...NewPetColumns],
    Id
  >
  readonly findKey: PositionalStatement<readonly [owner: string, key: string], KeyColumns>
  /** Deletes a key, unless it has become the key of another pet. */
  readonly deleteKey: PositionalStatement<readonly [owner: string, key: string, petId: bigint], Id>
  /** Deletes some of the keys that are old enough. */
  readonly deleteOldKeys: PositionalStatement<readonly [notAfter: bigint, limit: number], Id>
  readonly find: PositionalStatement<readonly [id: bigint], PetColumns>
  readonly list: PositionalStatement<readonly [limit: number], PetColumns>
  readonly listAfter: PositionalStatement<readonly [after: bigint, limit: number], PetColumns>
  readonly listWithStatus: PositionalStatement<readonly [status: PetStatus, limit: number], PetColumns>
  readonly listWithStatusAfter: PositionalStatement<
    readonly [status: PetStatus, after: bigint, limit: number],
    PetColumns
  >
}

// Entity and property names in the program, table and column names in the SQL.
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type Tables = InferKyselyDB<typeof PetRecord | typeof IdempotencyKeyRecord, typeof NAMES>

/**
 * Compiles the statements for the database of this entity manager; nothing is run.
 * Not per request, because MikroORM takes longer to build a query than SQLite takes to run it, and would put the values
 * into the text, so that no database could keep the statement prepared.
 */
export function compilePetStatements(em: SqlEntityManager): PetStatements {
  const tables: Kysely<Tables> = em.getKysely<Tables, typeof NAMES>(NAMES)
  const pets = tables.selectFrom('PetRecord').select(['id', ...NEW_PET_FIELDS])

  // Stand-ins for the values of each run; all different, so that their order can be checked.
  const [name, categoryId, status] = ['name', 1n, 'available'] as const
  const [id, after, limit] = [2n, 3n, 4]

  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  const list = pets.orderBy('id').limit(limit)
  const add = tables.insertInto('PetRecord').values({ name, categoryId, status }).returning('id')

  return {
    add: {
      ...statement('pet_add', add, [name, categoryId, status]),
      insert: columnsOf(em.getMetadata().get(PetRecord), NEW_PET_FIELDS),
    },
    ...compileKeyStatements(tables, isSqlite),
    find: statement('pet_find', pets.where('id', '=', id), [id]),
    list: statement('pet_list', list, [limit]),
    listAfter: statement('pet_list_after', list.where('id', '>', after), [after, limit]),
    ...(isSqlite ? compileListsWithStatus() : compileListsByStatusIndex()),
  }

  function compileListsWithStatus() {
    const listWithStatus = list.where('status', '=', status)
    const listWithStatusAfter = listWithStatus.where('id', '>', after)
    return {
      listWithStatus: statement('pet_list_with_status', listWithStatus, [status, limit]),
      listWithStatusAfter: statement('pet_list_with_status_after', listWithStatusAfter, [status, after, limit]),
    }
  }

  /**
   * PostgreSQL believes that pets with a status are spread over all ids, and may read in the order of the primary key
   * until it has found enough: if they all have high ids, that is the whole table. A range of one status in the order of
   * status and id can only be read from the index on both.
   */
  function compileListsByStatusIndex() {
    const upToStatus = pets.where('status', '<=', sql<PetStatus>`$1`).orderBy('status').orderBy('id').limit(limit)
    const listWithStatus = upToStatus.where('status', '>=', status)
    const listWithStatusAfter = upToStatus.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('status', 'id'), '>', tuple(status, after)),
    )
    return {
      listWithStatus: statement('pet_list_with_status', listWithStatus, [status, limit]),
      listWithStatusAfter: statement('pet_list_with_status_after', listWithStatusAfter, [status, after, limit]),
    }
  }
}

function compileKeyStatements(tables: Kysely<Tables>, isSqlite: boolean) {
  const [owner, key, at, petId, limit] = ['owner', 'key', 5n, 6n, 7]
  const find = tables
    .selectFrom('IdempotencyKeyRecord as known')
    .leftJoin('PetRecord as pet', 'pet.id', 'known.petId')
    .select(['known.fingerprint', 'known.at', 'known.petId', 'pet.id', 'pet.name', 'pet.categoryId', 'pet.status'])
    .where('known.owner', '=', owner)
    .where('known.key', '=', key)
  const remove = tables.deleteFrom('IdempotencyKeyRecord').returning('petId')
  const deleteKey = remove.where('owner', '=', owner).where('key', '=', key).where('petId', '=', petId)
  const oldest = tables
    .selectFrom('IdempotencyKeyRecord')
    .select(['owner', 'key'])
    .where('at', '<=', at)
    .orderBy('at')
    .limit(limit)
  // Every add starts with the same ones: those that another add is about to delete are left to it, since two that wait
  // for each other's rows would both fail. SQLite has one writer at a time, and no such clause.
  const old = isSqlite ? oldest : oldest.forUpdate().skipLocked()
  const deleteOld = remove.where(({ eb, refTuple }) => eb(refTuple('owner', 'key'), 'in', old.$asTuple('owner', 'key')))
  return {
    addWithKey: isSqlite ? compileAddWithKeyPair(tables) : compileAddWithKey(tables),
    findKey: statement('idempotency_key_find', find, [owner, key]),
    deleteKey: statement('idempotency_key_delete', deleteKey, [owner, key, petId]),
    deleteOldKeys: statement('idempotency_key_delete_old', deleteOld, [at, limit]),
  }
}

// As literals with the exact types: the order of these values is that of the placeholders.
const PET = { name: 'name', categoryId: 1n, status: 'available' } as const
const KEY = { fingerprint: 'fingerprint', at: 5n, owner: 'owner', key: 'key' } as const

/** The key first: its primary key decides which of several concurrent calls stores a pet, and the others store nothing. */
function compileAddWithKey(tables: Kysely<Tables>) {
  const query = tables
    .with('claimed', (db) =>
      db
        .insertInto('IdempotencyKeyRecord')
        .values({ ...KEY, petId: sql<bigint>`nextval(pg_get_serial_sequence('pet', 'id'))` })
        .onConflict((taken) => taken.columns(['owner', 'key']).doNothing())
        .returning('petId as id'),
    )
    .insertInto('PetRecord')
    .columns(['id', ...NEW_PET_FIELDS])
    .expression((from) =>
      from
        .selectFrom('claimed')
        .select(({ val }) => ['id', ...NEW_PET_FIELDS.map((field) => val(PET[field]).as(field))] as never),
    )
    .returning('id')
  return statement('pet_add_with_key', query, [...Object.values(KEY), ...Object.values(PET)])
}

/** SQLite has no such statement, but one writer at a time: what the first one finds stays true for the second. */
function compileAddWithKeyPair(tables: Kysely<Tables>) {
  const { owner, key } = KEY
  const add = tables
    .with('taken', (db) =>
      db.selectFrom('IdempotencyKeyRecord').select('key').where('owner', '=', owner).where('key', '=', key),
    )
    .insertInto('PetRecord')
    .columns([...NEW_PET_FIELDS])
    .expression(() =>
      tables
        .selectNoFrom(({ val }) => NEW_PET_FIELDS.map((field) => val(PET[field]).as(field)) as never)
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom('taken' as never).selectAll()))),
    )
    .returning('id')
  const petId = 6n
  const remember = tables.insertInto('IdempotencyKeyRecord').values({ petId, ...KEY })
  const keyValues = Object.values(KEY)
  return {
    ...statement('pet_add_with_key', add, [owner, key, ...Object.values(PET)]),
    next: {
      sql: compileStatement('idempotency_key_add', remember, [petId, ...keyValues]).sql,
      end: keyValues.length,
      firstStart: keyValues.length - 2,
    },
  }
}

function statement(name: string, query: Parameters<typeof compileStatement>[1], values: readonly SqlValue[]) {
  return { ...compileStatement(name, query, values), isPositional: true } as const
}
