import { defineEntity, p } from '@mikro-orm/core'
import { PET_IMPORT_STATES, type PetImport } from '@pet-store/persistence'
import { CountType, Int64Type, TimeType } from './column-types.ts'

/** The table of imports. No row is ever removed. */
export const PetImportEntity = defineEntity({
  name: 'PetImportEntity',
  tableName: 'pet_import',
  properties: {
    // Assigned by the importer: one more than the last id that it has read. Two imports that begin
    // at the same time therefore choose the same id, and only one of them is stored.
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(false),
    sha256: p.text(),
    state: p.enum(PET_IMPORT_STATES),
    lines: p.type(CountType).$type<number>(),
    changedAt: p.type(TimeType).$type<Date>(),
  } satisfies Record<keyof PetImport, unknown>,
})
