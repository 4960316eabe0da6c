import type { MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { ApiKeyRecord, IdempotencyKeyRecord, PetImportRecord, PetRecord } from './entities/records.ts'

/** The options of the ORM that are the same for every database; the adapter adds its connection. */
export function ormOptions(migrations: readonly MigrationObject[]) {
  return {
    entities: [PetRecord, IdempotencyKeyRecord, ApiKeyRecord, PetImportRecord],
    // Listed here, because the ORM would otherwise look for installed packages, and a bundled program has none.
    extensions: [Migrator],
    migrations: {
      migrationsList: [...migrations],
      tableName: 'migration',
      // Migrations are written by hand and compared with the entities by a test.
      snapshot: false,
      // The adapter runs all of them in one transaction.
      transactional: false,
      silent: true,
    },
    // The adapters begin transactions themselves.
    implicitTransactions: false,
    debug: false,
    // Only warnings are left, and standard output belongs to the program.
    logger: (message: string) => console.error(message),
  }
}
