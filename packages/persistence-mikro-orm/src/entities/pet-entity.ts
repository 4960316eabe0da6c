import { defineEntity, p } from '@mikro-orm/core'
import { PET_STATUSES, type Pet } from '@pet-store/domain'
import { Int64Type } from './column-types.ts'

/**
 * The table of pets. Tests compare the hot statements, which are written by hand, and the migrated
 * schema with it. Callers never get pets as entities.
 */
export const PetEntity = defineEntity({
  name: 'PetEntity',
  tableName: 'pet',
  properties: {
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(),
    name: p.text(),
    categoryId: p.type(Int64Type).$type<bigint>(),
    // Also becomes a check constraint. A new status therefore needs a migration, which a test
    // demands.
    status: p.enum(PET_STATUSES).nullable(),
  } satisfies Record<keyof Pet, unknown>,
  // A list with a status reads this index in the order of ids; a list without one reads the primary
  // key.
  indexes: [{ name: 'pet_status_id', properties: ['status', 'id'] }],
})
