import { defineEntity, p } from '@mikro-orm/core'
import { PET_STATUSES } from '@pet-store/domain'
import { Int64Type } from './int64-type.ts'

/**
 * The table of pets as MikroORM knows it: the hot statements are compiled from it, and the schema that the
 * migrations of a database make is compared with it. Pets leave through `pet-mapping.ts`, never as entities.
 */
export const PetRecord = defineEntity({
  name: 'PetRecord',
  tableName: 'pet',
  properties: {
    id: p.type(Int64Type).$type<bigint>().primary().autoincrement(),
    name: p.text(),
    categoryId: p.type(Int64Type).$type<bigint>(),
    // Becomes a check constraint as well. A new status therefore needs a migration, and a test says so.
    status: p.enum(PET_STATUSES).nullable(),
    // Under what the pet was created, where somebody asked for it once; forgotten after a day.
    onceOwner: p.text().nullable(),
    onceKey: p.text().nullable(),
    onceFingerprint: p.text().nullable(),
    onceAt: p.type(Int64Type).$type<bigint>().nullable(),
  },
  // A list with a status walks this index in the order of ids; a list without one walks the primary key.
  // The other two hold only the pets of the last day that were created under a key, so all others cost them nothing.
  indexes: [
    { name: 'pet_status_id', properties: ['status', 'id'] },
    {
      name: 'pet_once',
      expression: 'create unique index pet_once on pet (once_owner, once_key) where once_key is not null',
    },
    { name: 'pet_once_at', expression: 'create index pet_once_at on pet (once_at) where once_at is not null' },
  ],
})
