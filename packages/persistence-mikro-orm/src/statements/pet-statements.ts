import { type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import { IDEMPOTENCY_KEY_LIFETIME_MS, type PetStatus } from '@pet-store/domain'
import { fieldsOf, IDEMPOTENCY_KEY_CODEC } from '../entities/codec.ts'
import {
  IdempotencyKeyRecord,
  NEW_PET_CODEC,
  PET_CODEC,
  type PetColumns,
  PetRecord,
} from '../entities/records.ts'
import { columnsOf, statementFor } from './table-columns.ts'

/**
 * The statements on pets that are the same for every database; how pets are added is up to each
 * adapter.
 */
export type PetStatements = ReturnType<typeof compilePetStatements>

/**
 * Makes the statements for the database of this entity manager; nothing is run. Not per request,
 * because MikroORM takes longer to build a query than SQLite takes to run it, and would put the
 * values into the text, so that no database could keep the statement prepared.
 */
export function compilePetStatements(em: SqlEntityManager) {
  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  return { ...compileReads(em, isSqlite), ...compileKeyStatements(em, isSqlite) }
}

/**
 * The names for the statements that add pets: a pet without its id, its id, and an idempotency key.
 */
export function petTables(em: SqlEntityManager) {
  const { column } = columnsOf(em, PetRecord, fieldsOf(PET_CODEC))
  const keys = columnsOf(em, IdempotencyKeyRecord, fieldsOf(IDEMPOTENCY_KEY_CODEC))
  return { ...columnsOf(em, PetRecord, fieldsOf(NEW_PET_CODEC)), column, keys }
}

function compileReads(em: SqlEntityManager, isSqlite: boolean) {
  const statement = statementFor(em)
  const { table, names, column } = columnsOf(em, PetRecord, fieldsOf(PET_CODEC))
  const { id, status } = column
  // In the order of `PetColumns`.
  const select = `select ${names} from ${table}`
  /**
   * PostgreSQL believes that pets with a status are spread over all ids, and may read in the order
   * of the primary key until it has found enough: if they all have high ids, that is the whole
   * table. A range of one status in the order of status and id can only be read from the index on
   * both.
   */
  const [withStatus, withStatusAfter, order] = isSqlite
    ? [`${status} = $1`, `${status} = $1 and ${id} > $2`, id]
    : [
        `${status} <= $1 and ${status} >= $1`,
        `${status} <= $1 and (${status}, ${id}) > ($1, $2)`,
        `${status}, ${id}`,
      ]
  return {
    find: statement<readonly [id: bigint], PetColumns>('pet_find', `${select} where ${id} = $1`),
    list: statement<readonly [limit: number], PetColumns>(
      'pet_list',
      `${select} order by ${id} limit $1`,
    ),
    listAfter: statement<readonly [after: bigint, limit: number], PetColumns>(
      'pet_list_after',
      `${select} where ${id} > $1 order by ${id} limit $2`,
    ),
    listWithStatus: statement<readonly [status: PetStatus, limit: number], PetColumns>(
      'pet_list_with_status',
      `${select} where ${withStatus} order by ${order} limit $2`,
    ),
    listWithStatusAfter: statement<
      readonly [status: PetStatus, after: bigint, limit: number],
      PetColumns
    >(
      'pet_list_with_status_after',
      `${select} where ${withStatusAfter} order by ${order} limit $3`,
    ),
  }
}

/**
 * Now, by the clock of the database, in milliseconds since 1970: an instance whose clock is fast
 * must delete no live key.
 */
const SQLITE_NOW = "cast(unixepoch('subsec') * 1000 as integer)"
const POSTGRES_NOW = '(extract(epoch from now()) * 1000)::bigint'

function compileKeyStatements(em: SqlEntityManager, isSqlite: boolean) {
  const statement = statementFor(em)
  const { table, column } = petTables(em).keys
  const { owner, key, fingerprint, at, petId } = column
  const expired = `${isSqlite ? SQLITE_NOW : POSTGRES_NOW} - ${IDEMPOTENCY_KEY_LIFETIME_MS}`
  const isExpired = `${at} >= $1 and ${at} <= $2 and ${at} <= ${expired}`
  return {
    findKey: statement<
      readonly [owner: string, key: string],
      readonly [fingerprint: string, at: bigint, petId: bigint]
    >(
      'idempotency_key_find',
      `select ${fingerprint}, ${at}, ${petId} from ${table} where ${owner} = $1 and ${key} = $2`,
    ),
    /** Deletes a key, unless it has become the key of another pet. */
    deleteKey: statement<
      readonly [owner: string, key: string, petId: bigint],
      readonly [petId: bigint]
    >(
      'idempotency_key_delete',
      `delete from ${table} where ${owner} = $1 and ${key} = $2 and ${petId} = $3 returning ${petId}`,
    ),
    /** The time of the last one of some expired keys in a range of time; both ends are in it. */
    findExpiredKeys: statement<
      readonly [from: bigint, to: bigint, offset: number],
      readonly [at: bigint]
    >(
      'idempotency_key_find_expired',
      `select ${at} from ${table} where ${isExpired} order by ${at} limit 1 offset $3`,
    ),
    /** Deletes the expired keys in a range of time; both ends are in it. */
    deleteExpiredKeys: statement<readonly [from: bigint, to: bigint], readonly [petId: bigint]>(
      'idempotency_key_delete_expired',
      `delete from ${table} where ${isExpired} returning ${petId}`,
    ),
  }
}
