import { IDEMPOTENCY_KEY_COLUMNS, NEW_PET_COLUMNS } from '@pet-store/persistence-mikro-orm'
import { SQLITE_DIALECT } from '../database/dialect.ts'

/** Values: the columns of a new pet. */
export const INSERT_PET = `
  insert into pet (${NEW_PET_COLUMNS})
  values (${NEW_PET_COLUMNS.replaceAll(/\w+/g, '?')})`

export const FIND_KEY = `
  select 1
  from idempotency_key
  where owner = ? and key = ?`

export const INSERT_KEY = `
  insert into idempotency_key (${IDEMPOTENCY_KEY_COLUMNS})
  values (?, ?, ?, coalesce(?, ${SQLITE_DIALECT.nowMs}), ?)`
