import type { Statement } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'

/** Reads the last id that was assigned to a pet. Returns no row if none was. */
export const LAST_PET_ID: Statement<readonly [], readonly [id: bigint]> = {
  name: 'pet_last_id',
  sql: `
    select seq
    from sqlite_sequence
    where name = 'pet'`,
}

// `sqlite_sequence` has no unique index, so `on conflict` cannot be used.
const ADD_PET_SEQUENCE = `
  insert into sqlite_sequence (name, seq)
  select 'pet', 0
  where not exists (select 1 from sqlite_sequence where name = 'pet')`

const MOVE_PET_IDS = `
  update sqlite_sequence
  set seq = max(seq, ?)
  where name = 'pet'`

/** Makes new pets get greater ids than this one. Never lowers the next id. */
export function movePetIdsPast(database: Database, id: bigint): void {
  database.exec(ADD_PET_SEQUENCE)
  database.prepare(MOVE_PET_IDS).run(id)
}
