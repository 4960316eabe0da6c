import type { MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { ApiKeyRecord } from './api-key-record.ts'
import { PetImportRecord } from './pet-import-record.ts'
import { PetRecord } from './pet-record.ts'

/** What the ORM is told on every database; the adapter adds its connection. */
export function ormOptions(migrations: readonly MigrationObject[]) {
  return {
    entities: [PetRecord, ApiKeyRecord, PetImportRecord],
    // Given here, so that the ORM does not go looking for installed packages; a bundled program has none.
    extensions: [Migrator],
    migrations: {
      migrationsList: [...migrations],
      tableName: 'migration',
      // Migrations are written by hand and compared with the entities by a test.
      snapshot: false,
      // The adapter holds one transaction around everything, and says what was done.
      transactional: false,
      silent: true,
    },
    debug: false,
    // What is left to say are warnings of the ORM, and standard output belongs to the program.
    logger: (message: string) => console.error(message),
  }
}
