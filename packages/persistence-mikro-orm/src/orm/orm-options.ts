import type { EntityMetadata, MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import { ApiKeyEntity } from '../entities/api-key-entity.ts'
import { INT64_TYPES } from '../entities/column-types.ts'
import { IdempotencyKeyEntity } from '../entities/idempotency-key-entity.ts'
import { PetEntity } from '../entities/pet-entity.ts'
import { PetImportEntity } from '../entities/pet-import-entity.ts'
import type { SqlDialect } from '../statements/sql-dialect.ts'

/**
 * The options of the ORM that are the same for every database; the adapter adds its connection.
 * Throws if Node was started with a flag with which the ORM does not work.
 */
export function ormOptions({ int64 }: SqlDialect, migrations: readonly MigrationObject[]) {
  assertCodeGeneration()
  return {
    entities: [PetEntity, IdempotencyKeyEntity, ApiKeyEntity, PetImportEntity],
    discovery: {
      onMetadata({ props }: EntityMetadata): void {
        for (const property of props) {
          if (INT64_TYPES.includes(property.type)) property.columnTypes = [int64]
        }
      },
    },
    // Given explicitly, because the ORM would otherwise look for installed packages, and a bundled
    // program has none.
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
    // Where rows are joined, the ORM takes `__proto__` and `constructor` for ids that it has read
    // already, loses these rows, and changes `Object.prototype`.
    autoJoinOneToOneOwner: false,
    // The adapters begin transactions themselves, because Kysely, which the ORM uses, never returns
    // a connection to the pool if `begin` or `rollback` fails.
    implicitTransactions: false,
    debug: false,
    // Without `debug` only warnings are logged. Standard output belongs to the program.
    logger: (message: string) => console.error(message),
  }
}

/** MikroORM makes functions of text, and would print each one for which that fails. */
function assertCodeGeneration(): void {
  try {
    new Function()
  } catch (cause) {
    throw new Error(
      'MikroORM cannot run with --disallow-code-generation-from-strings. Start Node without it.',
      { cause },
    )
  }
}
