import type { MigrationObject } from '@mikro-orm/core'
import { Migrator } from '@mikro-orm/migrations'
import type { MigrationState } from '@pet-store/persistence'
import {
  ApiKeyRecord,
  IdempotencyKeyRecord,
  PetImportRecord,
  PetRecord,
} from './entities/records.ts'

/** The options of the ORM that are the same for every database; the adapter adds its connection. */
export function ormOptions(migrations: readonly MigrationObject[]) {
  return {
    entities: [PetRecord, IdempotencyKeyRecord, ApiKeyRecord, PetImportRecord],
    // Listed here, because the ORM would otherwise look for installed packages, and a bundled
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
    // The adapters begin transactions themselves.
    implicitTransactions: false,
    debug: false,
    // Only warnings are left, and standard output belongs to the program.
    logger: (message: string) => console.error(message),
  }
}

/** The first migration of earlier versions, whose migrations are not continued. */
const DISCONTINUED = '0001-create-pets'

/**
 * Returns the state of a database, given its migrations in their order; `undefined` stands for a
 * missing database. `name` is what messages call it. Throws one sentence if it was created by a
 * version whose migrations are not continued.
 */
export function migrationState(
  name: string,
  applied: readonly string[] | undefined,
  migrations: readonly MigrationObject[],
): MigrationState {
  if (applied?.includes(DISCONTINUED)) {
    throw new Error(
      `The ${name} was created by an earlier version, which this one does not continue: export its pets with that version (pet-store export), and import them into a new database with this one (pet-store import). They get new ids; API keys and idempotency keys stay behind.`,
    )
  }
  const known = migrations.map((migration) => migration.name)
  return {
    database: applied === undefined ? 'missing' : applied.length === 0 ? 'empty' : 'migrated',
    pending: known.filter((one) => !applied?.includes(one)),
    newer: (applied ?? []).filter((one) => !known.includes(one)),
  }
}

/** Throws one sentence that names the migrations that a database lacks. */
export function assertMigrated(name: string, { pending }: MigrationState): void {
  if (pending.length > 0)
    throw new Error(`The ${name} must be migrated first: it lacks ${pending.join(', ')}.`)
}

/**
 * Throws one sentence that names migrations of a newer version of this program. Serving works
 * beside one; copying would lose what it has added.
 */
export function assertNotNewer(name: string, { newer }: MigrationState): void {
  if (newer.length === 0) return
  throw new Error(
    `The ${name} has migrations of a newer version: ${newer.join(', ')}. Use that version.`,
  )
}
