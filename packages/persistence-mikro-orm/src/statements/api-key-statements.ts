import type { SqlEntityManager } from '@mikro-orm/sql'
import { ApiKeyRecord } from '../entities/api-key-record.ts'
import type { SqlValue } from '../entities/codec.ts'
import { API_KEY_CODEC, fieldsOf } from '../entities/codec.ts'
import type { Statement } from './statement-runner.ts'
import { namesOf, statementFor } from './table-columns.ts'

/** The statement on API keys that is needed while a request waits: a key in the order of its codec, then its successor. */
export type FindApiKeyByHash = Statement<readonly [sha256: string], readonly SqlValue[]>

export function compileFindApiKeyByHash(em: SqlEntityManager): FindApiKeyByHash {
  const fields = fieldsOf(API_KEY_CODEC)
  const { table, column } = namesOf(em, ApiKeyRecord, fields)
  const columns = ['found', 'successor'].flatMap((key) => fields.map((field) => `${key}.${column[field]}`))
  return statementFor(em)(
    'api_key_find_by_hash',
    `select ${columns.join(', ')} from ${table} as found
      left join ${table} as successor on successor.${column.replaces} = found.${column.id}
      where found.${column.sha256} = $1`,
  )
}
