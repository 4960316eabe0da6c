import { InvalidFieldNameException, type MigrationObject } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/sql'
import type { MigrationState } from '@pet-store/persistence'
import type { SqlDialect } from '../statements/sql-dialect.ts'

/**
 * Returns the names of the migrations that a database has. Does not use the migrator, which would
 * create the table `migration` and take locks for it. Messages call the database `name`. Rejects if
 * the table has other columns.
 */
export async function appliedMigrations(
  name: string,
  em: SqlEntityManager,
  { findMigrationTable }: SqlDialect,
): Promise<readonly string[]> {
  if ((await em.execute(findMigrationTable)).length === 0) return []
  try {
    const rows = await em.execute<{ name: string }[]>('select name from migration order by id')
    return rows.map((row) => row.name)
  } catch (error) {
    if (!(error instanceof InvalidFieldNameException)) throw error
    throw new Error(ofAnotherProgram(name, 'has other columns'), { cause: error })
  }
}

/** The first migration of earlier versions, whose migrations are not continued. */
const DISCONTINUED = '0001-create-pets'

/**
 * Returns the state of a database, given the names of its migrations in their order; `undefined`
 * for a missing database. Messages call the database `name`. Throws if it was created by a version
 * whose migrations are not continued, or if they are those of another program.
 */
export function migrationState(
  name: string,
  applied: readonly string[] | undefined,
  migrations: readonly MigrationObject[],
): MigrationState {
  if (applied?.includes(DISCONTINUED)) {
    throw new Error(
      `The ${name} was created by an earlier version, which this one does not continue: ` +
        'export its pets with that version (pet-store export), and import them into a new ' +
        'database with this one (pet-store import). They get new ids; API keys and idempotency ' +
        'keys stay behind.',
    )
  }
  const known = migrations.map((migration) => migration.name)
  // None is ever removed, so a later version has the first one too.
  if (applied !== undefined && applied.length > 0 && known.every((one) => !applied.includes(one)))
    throw new Error(ofAnotherProgram(name, `has the row ${JSON.stringify(applied.at(-1))}`))
  if (applied === undefined) return { database: 'missing', pending: known, newer: [] }
  return {
    database: applied.length === 0 ? 'empty' : 'migrated',
    pending: known.filter((one) => !applied.includes(one)),
    newer: applied.filter((one) => !known.includes(one)),
  }
}

/** Says that the table `migration` is not the one of this program, and what to do. */
function ofAnotherProgram(name: string, reason: string): string {
  return (
    `The ${name} belongs to another program, whose table "migration" ${reason}: ` +
    'use a separate database for the pets.'
  )
}

/** Throws an error that names the migrations that a database lacks. */
export function assertMigrated(name: string, { pending }: MigrationState): void {
  if (pending.length > 0)
    throw new Error(`The ${name} must be migrated first: it lacks ${pending.join(', ')}.`)
}

/**
 * Throws an error that names the migrations of a newer version of this program. For bulk access:
 * serving works on such a database, but copying it would lose what that version has added.
 */
export function assertNotNewer(name: string, { newer }: MigrationState): void {
  if (newer.length === 0) return
  throw new Error(
    `The ${name} has migrations of a newer version: ${newer.join(', ')}. Use that version.`,
  )
}
