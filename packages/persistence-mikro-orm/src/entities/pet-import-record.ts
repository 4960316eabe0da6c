import { defineEntity, p } from '@mikro-orm/core'
import { PET_IMPORT_STATES, type PetImport } from '@pet-store/persistence'
import { Int64Type } from './int64-type.ts'

/** The table of imports. No row is ever removed. */
export const PetImportRecord = defineEntity({
  name: 'PetImportRecord',
  tableName: 'pet_import',
  properties: {
    // Assigned by the importer: one more than the last that it has seen, so that of two that begin at once only one can.
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(false),
    sha256: p.text(),
    state: p.enum(PET_IMPORT_STATES),
    lines: p.type(Int64Type).$type<bigint>(),
    // Milliseconds since 1970.
    changedAt: p.type(Int64Type).$type<bigint>(),
  } satisfies Record<keyof PetImport, unknown>,
})
