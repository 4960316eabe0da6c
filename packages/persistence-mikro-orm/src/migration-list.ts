import type { MigrationObject } from '@mikro-orm/core'
import type { MigrationState } from '@pet-store/persistence'

/** A migration of an adapter. */
export interface AdapterMigration extends MigrationObject {
  /**
   * Set on a migration that removes what the previous release still uses. It runs at once in a new database only; every
   * other one gets it with the next release, which deletes this mark. docs/decisions/0006-migrations.md
   */
  readonly isContraction?: true
  /**
   * Set on a migration that cannot run in a transaction, such as `create index concurrently`. It must be repeatable,
   * because a part of it may be done when it is interrupted. PostgreSQL only. docs/decisions/0006-migrations.md
   */
  readonly runsAlone?: true
}

/** Returns the names of the migrations that a database lacks, in their order, given those that it has. */
export function pendingMigrations(
  applied: readonly string[],
  migrations: readonly AdapterMigration[],
): readonly string[] {
  const isNew = applied.length === 0
  return migrations
    .filter(({ name, isContraction }) => !applied.includes(name) && (isNew || isContraction !== true))
    .map(({ name }) => name)
}

/** Returns the state of a database, given its migrations in their order; `undefined` stands for a missing database. */
export function migrationState(
  applied: readonly string[] | undefined,
  migrations: readonly AdapterMigration[],
): MigrationState {
  const known = new Set(migrations.map(({ name }) => name))
  const database = applied === undefined ? 'missing' : applied.length === 0 ? 'empty' : 'migrated'
  return {
    database,
    pending: pendingMigrations(applied ?? [], migrations),
    newer: (applied ?? []).filter((name) => !known.has(name)),
  }
}

/** The last migration that every database has after migrating. */
export function latestMigration(migrations: readonly AdapterMigration[]): string {
  return migrations.findLast(({ isContraction }) => isContraction !== true)?.name ?? ''
}
