import { type InferKyselyDB, type Kysely, type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import type { PetStatus } from '@pet-store/domain'
import { newPetColumns } from './bulk-columns.ts'
import { compileStatement } from './compile-statement.ts'
import type { NewPetColumns, PetColumns, PetOnceColumns } from './pet-mapping.ts'
import type { PetRecord } from './pet-record.ts'
import type { PositionalStatement, SqlValue } from './statement-runner.ts'

type Id = readonly [id: bigint]

/** The few statements of the hot path. Their texts come from the entity, so a renamed column reaches them too. */
export interface PetStatements {
  readonly add: PositionalStatement<NewPetColumns, Id>
  /** Gives back nothing where the owner's key is taken. */
  readonly addOnce: PositionalStatement<
    [...NewPetColumns, owner: string, key: string, fingerprint: string, at: bigint],
    Id
  >
  readonly findOnce: PositionalStatement<[owner: string, key: string], PetOnceColumns>
  /** Frees a key that is old enough. */
  readonly freeOnce: PositionalStatement<[owner: string, key: string, notAfter: bigint], Id>
  /** Frees some of the keys that are old enough. */
  readonly freeOldOnce: PositionalStatement<[notAfter: bigint, limit: number], Id>
  readonly find: PositionalStatement<[id: bigint], PetColumns>
  readonly list: PositionalStatement<[limit: number], PetColumns>
  readonly listAfter: PositionalStatement<[after: bigint, limit: number], PetColumns>
  readonly listWithStatus: PositionalStatement<[status: PetStatus, limit: number], PetColumns>
  readonly listWithStatusAfter: PositionalStatement<[status: PetStatus, after: bigint, limit: number], PetColumns>
}

// Entity and property names in the program, table and column names in the SQL.
const NAMES = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property' } as const
type PetTables = InferKyselyDB<typeof PetRecord, typeof NAMES>

/**
 * Compiles the statements for the database of this entity manager; nothing is run.
 * Once at opening instead of per request, because MikroORM takes longer to build a query than SQLite takes
 * to run it, and would put the values into the text, so that no database could keep the statement prepared.
 */
export function compilePetStatements(em: SqlEntityManager): PetStatements {
  const tables: Kysely<PetTables> = em.getKysely<PetTables, typeof NAMES>(NAMES)
  const pets = tables.selectFrom('PetRecord').select(['id', 'name', 'categoryId', 'status'])

  // Stand-ins for the values of each run; all different, so that their order can be checked.
  const name = 'name'
  const categoryId = 1n
  const status = 'available'
  const id = 2n
  const after = 3n
  const limit = 4

  const list = pets.orderBy('id').limit(limit)
  const listWithStatus = list.where('status', '=', status)
  const add = tables.insertInto('PetRecord').values({ name, categoryId, status }).returning('id')

  const onceOwner = 'owner'
  const onceKey = 'key'
  const onceFingerprint = 'fingerprint'
  const onceAt = 5n
  const addOnce = tables
    .insertInto('PetRecord')
    .values({ name, categoryId, status, onceOwner, onceKey, onceFingerprint, onceAt })
    .onConflict((taken) => taken.columns(['onceOwner', 'onceKey']).where('onceKey', 'is not', null).doNothing())
    .returning('id')
  const findOnce = pets
    .select(['onceFingerprint', 'onceAt'])
    .where('onceOwner', '=', onceOwner)
    .where('onceKey', '=', onceKey)
  const free = tables
    .updateTable('PetRecord')
    .set((set) => ({
      onceOwner: set.lit(null),
      onceKey: set.lit(null),
      onceFingerprint: set.lit(null),
      onceAt: set.lit(null),
    }))
    .returning('id')
  const freeOnce = free.where('onceOwner', '=', onceOwner).where('onceKey', '=', onceKey).where('onceAt', '<=', onceAt)
  const oldest = tables
    .selectFrom('PetRecord')
    .select('id')
    .where('onceAt', '<=', onceAt)
    .orderBy('onceAt')
    .limit(limit)
  // Every add begins with the same ones: what another add is about to free is left to it, since two that wait for each
  // other's rows would both fail. SQLite has one writer at a time, and no word for it.
  const old = em.getPlatform() instanceof SqlitePlatform ? oldest : oldest.forUpdate().skipLocked()
  const freeOldOnce = free.where('id', 'in', old)

  return {
    add: { ...statement('pet_add', add, [name, categoryId, status]), insert: newPetColumns(em) },
    addOnce: statement('pet_add_once', addOnce, [
      name,
      categoryId,
      status,
      onceOwner,
      onceKey,
      onceFingerprint,
      onceAt,
    ]),
    findOnce: statement('pet_find_once', findOnce, [onceOwner, onceKey]),
    freeOnce: statement('pet_free_once', freeOnce, [onceOwner, onceKey, onceAt]),
    freeOldOnce: statement('pet_free_old_once', freeOldOnce, [onceAt, limit]),
    find: statement('pet_find', pets.where('id', '=', id), [id]),
    list: statement('pet_list', list, [limit]),
    listAfter: statement('pet_list_after', list.where('id', '>', after), [after, limit]),
    listWithStatus: statement('pet_list_with_status', listWithStatus, [status, limit]),
    listWithStatusAfter: statement('pet_list_with_status_after', listWithStatus.where('id', '>', after), [
      status,
      after,
      limit,
    ]),
  }
}

function statement(name: string, query: Parameters<typeof compileStatement>[1], values: readonly SqlValue[]) {
  return { ...compileStatement(name, query, values), isPositional: true } as const
}
