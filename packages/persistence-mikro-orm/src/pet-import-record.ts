import { defineEntity, p } from '@mikro-orm/core'
import { Int64Type } from './int64-type.ts'

/** Whether a file is in the database whole, or its first lines are. */
export const PET_IMPORT_STATES = ['unfinished', 'finished'] as const

/**
 * The table of imports as MikroORM knows it: which files came into the database, and how far. A file is known by its
 * content, never by its name. No row is ever removed.
 */
export const PetImportRecord = defineEntity({
  name: 'PetImportRecord',
  tableName: 'pet_import',
  properties: {
    // One more than the last that the importer has seen, so that of two who begin at once only one can.
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(false),
    // Of the lines that are in the database.
    sha256: p.text(),
    state: p.enum(PET_IMPORT_STATES),
    lines: p.type(Int64Type).$type<bigint>(),
    // Milliseconds since 1970, of the last transaction.
    changedAt: p.type(Int64Type).$type<bigint>(),
  },
})
