import { PET_FIELDS } from '@pet-store/domain'
import { NEW_PET_COLUMNS, PET_COLUMNS } from '../entities/pet-columns.ts'
import { IDEMPOTENCY_KEY_COLUMNS } from '../statements/idempotency-key-statements.ts'

/** An insert of many rows, without the rows, which each adapter passes in its own way. */
export interface BulkInsert {
  /** The table and its columns, as they follow `insert into`. */
  readonly into: string
  /** The type of each column. */
  readonly types: readonly ColumnType[]
  /** The clause at the end of the statement; may be empty. */
  readonly onConflict: string
}

type ColumnType = 'bigint' | 'text'

const PET_TYPES = Object.values(PET_FIELDS).map(
  ({ isInteger }): ColumnType => (isInteger ? 'bigint' : 'text'),
)

export const INSERT_NEW_PETS: BulkInsert = {
  into: `pet (${NEW_PET_COLUMNS})`,
  types: PET_TYPES,
  onConflict: '',
}

export const INSERT_PETS: BulkInsert = {
  into: `pet (${PET_COLUMNS})`,
  types: ['bigint', ...PET_TYPES],
  onConflict: '',
}

export const REPLACE_IDEMPOTENCY_KEYS: BulkInsert = {
  into: `idempotency_key (${IDEMPOTENCY_KEY_COLUMNS})`,
  types: ['text', 'text', 'text', 'bigint', 'bigint'],
  onConflict: `
    on conflict (owner, key) do update set
      fingerprint = excluded.fingerprint,
      created_at = excluded.created_at,
      pet_id = excluded.pet_id`,
}
