import {
  type Cancellation,
  IDEMPOTENCY_KEY_LIFETIME_MS,
  INT64,
  validateNewPet,
} from '@pet-store/domain'
import { beforeEach, describe, expect, it } from 'vitest'
import { columnsFromPet } from '../entities/pet-columns.ts'
import type { EntityWork } from '../orm/entity-managers.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'
import type { SqlValue } from '../statements/sql-values.ts'
import type { Statement } from '../statements/statement.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'
import type { PetWriter } from './pet-writer.ts'
import { createSqlPetRepository, type SqlPetRepository } from './sql-pet-repository.ts'

const DIALECT: SqlDialect = {
  placeholders: (sql) => sql,
  int64: 'bigint',
  nowMs: 'now',
  listWithStatus: '',
  listWithStatusAfter: '',
  apiKeyLock: '',
  findMigrationTable: '',
}

const REX = { id: 7n, name: 'Rex', categoryId: 2n }
const NEW = validateNewPet({ name: 'Rex', categoryId: 2n })
const KEY = { owner: 'shop', key: 'k', fingerprint: 'f', at: new Date('2027-01-02T00:00:00Z') }

/** Rex as a row. */
const ROW: readonly SqlValue[] = [REX.id, ...columnsFromPet(REX)]

let ran: (readonly SqlValue[])[]
/** The row of each statement. */
let rows: Record<string, readonly SqlValue[] | undefined>
let newIds: (bigint | undefined)[]
let cancellations: (Cancellation | undefined)[]

beforeEach(() => {
  ran = []
  rows = { pet_find: ROW }
  newIds = []
  cancellations = []
})

function repository(isDeleted = async () => true): SqlPetRepository {
  const run = async <Row>({ name }: Statement<never, never>, values: readonly SqlValue[]) => {
    ran.push([name, ...values])
    return rows[name] as Row | undefined
  }
  const runner: StatementRunner = {
    readOne: (statement, map) => async (values) => {
      const row = await run<Parameters<typeof map>[0]>(statement as never, values)
      return row === undefined ? undefined : map(row)
    },
    readAll: (statement) => async (values) => {
      await run(statement as never, values)
      return []
    },
  }
  const writer: PetWriter = {
    waiting: 0,
    add: async () => 7n,
    async addWithKey(_key, _pet, cancellation) {
      cancellations.push(cancellation)
      return newIds.shift()
    },
    isDeleted,
  }
  const record = async <Result>(name: string, _: EntityWork<Result>) => {
    ran.push([name])
    return undefined as Result
  }
  const entities = { read: record, write: record }
  return createSqlPetRepository({ dialect: DIALECT, runner, writer, entities })
}

describe('The repository of pets', () => {
  it.each([
    [{ limit: 5 }, ['pet_list', 5]],
    [{ limit: 5, after: 3n }, ['pet_list_after', 3n, 5]],
    [{ limit: 5, status: 'sold' }, ['pet_list_with_status', 'sold', 5]],
    [{ limit: 5, status: 'sold', after: 3n }, ['pet_list_with_status_after', 'sold', 3n, 5]],
    [{ limit: 5, after: INT64.min - 1n }, ['pet_list', 5]],
    [{ limit: 5, after: INT64.min }, ['pet_list_after', INT64.min, 5]],
    [{ limit: 5, after: INT64.max + 1n }, undefined],
  ] as const)('pets are listed by the statement that fits %o', async (query, statement) => {
    await repository().list(query)
    expect(ran).toEqual(statement === undefined ? [] : [statement])
  })

  it('a pet is found at the end of int64, and no statement runs for an id beyond', async () => {
    const pets = repository()
    expect(await pets.find(INT64.max)).toStrictEqual(REX)
    expect([await pets.find(INT64.max + 1n), await pets.find(INT64.min - 1n)]).toEqual([
      undefined,
      undefined,
    ])
    expect(ran).toEqual([['pet_find', INT64.max]])
  })

  it('a repeat returns a pet that was not visible at first, and keeps its key', async () => {
    const at = BigInt(KEY.at.getTime())
    rows['idempotency_key_find'] = ['f', at, 7n, at]
    rows['pet_find'] = undefined
    const isDeleted = async () => {
      rows['pet_find'] = ROW
      return false
    }
    expect(await repository(isDeleted).addWithKey(NEW, KEY)).toStrictEqual({
      pet: REX,
      isReplay: true,
    })
    expect(ran.map(([name]) => name)).not.toContain('idempotency_key_delete')
  })

  it('a call that has deleted an expired key can no longer be cancelled', async () => {
    const at = BigInt(KEY.at.getTime()) - 2n * BigInt(IDEMPOTENCY_KEY_LIFETIME_MS)
    rows['idempotency_key_find'] = ['f', at, 7n, at]
    newIds = [undefined, 8n]
    const cancellation = { aborted: false }
    const { pet } = await repository().addWithKey(NEW, KEY, cancellation)
    expect(pet.id).toBe(8n)
    expect(ran.map(([name]) => name)).toContain('idempotency_key_delete')
    expect(cancellations).toEqual([cancellation, undefined])
  })

  it('a creation is not stored, and ends, if its key is always taken and never found', async () => {
    await expect(repository().addWithKey(NEW, KEY)).rejects.toMatchObject({ outcome: 'not_stored' })
  })
})
