import { type SqlEntityManager, SqlitePlatform } from '@mikro-orm/sql'
import { IDEMPOTENCY_KEY_LIFETIME_MS, type PetStatus } from '@pet-store/domain'
import { fieldsOf, IDEMPOTENCY_KEY_CODEC, PET_CODEC } from '../entities/codec.ts'
import { IdempotencyKeyRecord } from '../entities/idempotency-key-record.ts'
import type { PetColumns } from '../entities/pet-mapping.ts'
import { PetRecord } from '../entities/pet-record.ts'
import type { Statement } from './statement-runner.ts'
import { namesOf, statementFor } from './table-columns.ts'

/** An idempotency key, and the id of its pet. */
type KeyColumns = readonly [fingerprint: string, at: bigint, petId: bigint]

/** The statements on pets that are the same for every database; how pets are added is up to each adapter. */
export interface PetStatements {
  readonly find: Statement<readonly [id: bigint], PetColumns>
  readonly list: Statement<readonly [limit: number], PetColumns>
  readonly listAfter: Statement<readonly [after: bigint, limit: number], PetColumns>
  readonly listWithStatus: Statement<readonly [status: PetStatus, limit: number], PetColumns>
  readonly listWithStatusAfter: Statement<readonly [status: PetStatus, after: bigint, limit: number], PetColumns>

  readonly findKey: Statement<readonly [owner: string, key: string], KeyColumns>
  /** Deletes a key, unless it has become the key of another pet. */
  readonly deleteKey: Statement<readonly [owner: string, key: string, petId: bigint], readonly [petId: bigint]>
  /** The time of the last one of some expired keys in a range of time; both ends are in it. */
  readonly findExpiredKeys: Statement<readonly [from: bigint, to: bigint, offset: number], readonly [at: bigint]>
  /** Deletes the expired keys in a range of time; both ends are in it. */
  readonly deleteExpiredKeys: Statement<readonly [from: bigint, to: bigint], readonly [petId: bigint]>
}

type ListsWithStatus = Pick<PetStatements, 'listWithStatus' | 'listWithStatusAfter'>

/** Now, by the clock of the database, in milliseconds since 1970: an instance whose clock is fast must delete no live key. */
const SQLITE_NOW = "cast(unixepoch('subsec') * 1000 as integer)"
const POSTGRES_NOW = '(extract(epoch from now()) * 1000)::bigint'

/**
 * Makes the statements for the database of this entity manager; nothing is run.
 * Not per request, because MikroORM takes longer to build a query than SQLite takes to run it, and would put the values
 * into the text, so that no database could keep the statement prepared.
 */
export function compilePetStatements(em: SqlEntityManager): PetStatements {
  const statement = statementFor(em)
  const isSqlite = em.getPlatform() instanceof SqlitePlatform
  const fields = fieldsOf(PET_CODEC)
  const { table: pets, column: pet } = namesOf(em, PetRecord, fields)
  const { table: keys, column: key } = namesOf(em, IdempotencyKeyRecord, fieldsOf(IDEMPOTENCY_KEY_CODEC))
  // In the order of `PetColumns`.
  const select = `select ${fields.map((field) => pet[field]).join(', ')} from ${pets}`
  const now = isSqlite ? SQLITE_NOW : POSTGRES_NOW
  const isExpired = `${key.at} >= $1 and ${key.at} <= $2 and ${key.at} <= ${now} - ${IDEMPOTENCY_KEY_LIFETIME_MS}`

  return {
    find: statement('pet_find', `${select} where ${pet.id} = $1`),
    list: statement('pet_list', `${select} order by ${pet.id} limit $1`),
    listAfter: statement('pet_list_after', `${select} where ${pet.id} > $1 order by ${pet.id} limit $2`),
    ...(isSqlite ? listsWithStatus() : listsInOrderOfStatus()),

    findKey: statement(
      'idempotency_key_find',
      `select ${key.fingerprint}, ${key.at}, ${key.petId} from ${keys} where ${key.owner} = $1 and ${key.key} = $2`,
    ),
    deleteKey: statement(
      'idempotency_key_delete',
      `delete from ${keys} where ${key.owner} = $1 and ${key.key} = $2 and ${key.petId} = $3 returning ${key.petId}`,
    ),
    findExpiredKeys: statement(
      'idempotency_key_find_expired',
      `select ${key.at} from ${keys} where ${isExpired} order by ${key.at} limit 1 offset $3`,
    ),
    deleteExpiredKeys: statement(
      'idempotency_key_delete_expired',
      `delete from ${keys} where ${isExpired} returning ${key.petId}`,
    ),
  }

  function listsWithStatus(): ListsWithStatus {
    const withStatus = `${select} where ${pet.status} = $1`
    return {
      listWithStatus: statement('pet_list_with_status', `${withStatus} order by ${pet.id} limit $2`),
      listWithStatusAfter: statement(
        'pet_list_with_status_after',
        `${withStatus} and ${pet.id} > $2 order by ${pet.id} limit $3`,
      ),
    }
  }

  /**
   * PostgreSQL believes that pets with a status are spread over all ids, and may read in the order of the primary key
   * until it has found enough: if they all have high ids, that is the whole table. A range of one status in the order of
   * status and id can only be read from the index on both.
   */
  function listsInOrderOfStatus(): ListsWithStatus {
    const upToStatus = `${select} where ${pet.status} <= $1`
    const order = `order by ${pet.status}, ${pet.id}`
    return {
      listWithStatus: statement('pet_list_with_status', `${upToStatus} and ${pet.status} >= $1 ${order} limit $2`),
      listWithStatusAfter: statement(
        'pet_list_with_status_after',
        `${upToStatus} and (${pet.status}, ${pet.id}) > ($1, $2) ${order} limit $3`,
      ),
    }
  }
}
