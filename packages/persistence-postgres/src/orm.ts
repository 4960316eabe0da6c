import { type EntitySchema, MikroORM } from '@mikro-orm/postgresql'
import { type AdapterMigration, latestMigration, ormOptions } from '@pet-store/persistence-mikro-orm'
import { PostgresDialect } from 'kysely'
import type { PostgresDatabase } from './database.ts'
import { RequestCountRecord } from './driver/rate-limiter.ts'
import { CreatePets } from './migrations/0001-create-pets.ts'
import { RememberCreations } from './migrations/0002-remember-creations.ts'
import { CreateApiKeys } from './migrations/0003-create-api-keys.ts'
import { CountRequests } from './migrations/0004-count-requests.ts'
import { NoteImports } from './migrations/0005-note-imports.ts'
import { MoveIdempotencyKeys } from './migrations/0006-move-idempotency-keys.ts'
import { RemoveIdempotencyColumns } from './migrations/0007-remove-idempotency-columns.ts'
import { IdentifyImportedFiles } from './migrations/0008-identify-imported-files.ts'
import { RecordKeyChanges } from './migrations/0009-record-key-changes.ts'

/** Every migration in order. The names are stored in existing databases: they never change, and none is ever removed. */
export const MIGRATIONS: readonly AdapterMigration[] = [
  { name: '0001-create-pets', class: CreatePets },
  { name: '0002-remember-creations', class: RememberCreations },
  { name: '0003-create-api-keys', class: CreateApiKeys },
  { name: '0004-count-requests', class: CountRequests },
  { name: '0005-note-imports', class: NoteImports },
  { name: '0006-move-idempotency-keys', class: MoveIdempotencyKeys },
  { name: '0007-remove-idempotency-columns', class: RemoveIdempotencyColumns, isContraction: true },
  { name: '0008-identify-imported-files', class: IdentifyImportedFiles },
  { name: '0009-record-key-changes', class: RecordKeyChanges },
]

/** The last migration: a schema that has it is up to date. */
export const LATEST_MIGRATION: string = latestMigration(MIGRATIONS)

/** The ORM over open connections. It has no other resources: ending the pool closes it. Default: all entities. */
export function createPostgresOrm(
  { name, pool }: PostgresDatabase,
  migrations = MIGRATIONS,
  entities?: readonly EntitySchema[],
): MikroORM {
  const options = ormOptions(migrations)
  return new MikroORM({
    ...options,
    entities: [...(entities ?? [...options.entities, RequestCountRecord])],
    // The migrator would create a database of any other name.
    dbName: name,
    driverOptions: new PostgresDialect({ pool }),
  })
}
