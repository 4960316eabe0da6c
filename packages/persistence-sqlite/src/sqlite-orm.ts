import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/sqlite'
import { PetRecord } from '@pet-store/persistence-mikro-orm'
import type { Database } from 'better-sqlite3'
import { createExactSqliteDialect } from './exact-sqlite-dialect.ts'
import { CreatePets } from './migrations/0001-create-pets.ts'

/** Every migration in order. A name is in the databases of others: it never changes, and no entry is ever removed. */
const MIGRATIONS = [{ name: '0001-create-pets', class: CreatePets }]

/** The ORM over an open database. Closing the ORM closes the database. */
export function createSqliteOrm(database: Database): MikroORM {
  return new MikroORM({
    entities: [PetRecord],
    dbName: database.name,
    driverOptions: createExactSqliteDialect(database),
    // Given here, so that the ORM does not go looking for installed packages; a bundled program has none.
    extensions: [Migrator],
    migrations: {
      migrationsList: MIGRATIONS,
      tableName: 'migration',
      // Migrations are written by hand and compared with the entities by a test.
      snapshot: false,
      // `sqlite-migrations.ts` holds one transaction around everything, and says what was done.
      transactional: false,
      silent: true,
    },
    debug: false,
    // What is left to say are warnings of the ORM, and standard output belongs to the program.
    logger: (message) => console.error(message),
  })
}
