import type { InferKyselyDB, Kysely, SqlEntityManager } from '@mikro-orm/sql'
import type { PetStatus } from '@pet-store/domain'
import type { PetRow } from './pet-mapping.ts'
import type { PetRecord } from './pet-record.ts'
import type { SqlValue, Statement } from './statement-runner.ts'

/** The few statements of the hot path. Their texts come from the entity, so a renamed column reaches them too. */
export interface PetStatements {
  readonly add: Statement<[name: string, categoryId: bigint, status: PetStatus | null], Pick<PetRow, 'id'>>
  readonly find: Statement<[id: bigint], PetRow>
  readonly list: Statement<[limit: number], PetRow>
  readonly listAfter: Statement<[after: bigint, limit: number], PetRow>
  readonly listWithStatus: Statement<[status: PetStatus, limit: number], PetRow>
  readonly listWithStatusAfter: Statement<[status: PetStatus, after: bigint, limit: number], PetRow>
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

  return {
    add: statement('pet_add', add, [name, categoryId, status]),
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

/** What a query builder gives; its own type names more than is needed here. */
interface Query {
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] }
}

function statement(name: string, query: Query, values: readonly SqlValue[]): { name: string; sql: string } {
  const { sql, parameters } = query.compile()
  // A newer ORM that orders or inlines values otherwise must not go unnoticed: values would land in wrong columns.
  if (parameters.length !== values.length || values.some((value, index) => parameters[index] !== value)) {
    throw new Error(`The ORM compiled ${name} with other values than expected: ${sql}`)
  }
  return { name, sql }
}
