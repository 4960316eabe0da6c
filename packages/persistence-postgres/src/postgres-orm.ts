import { Migrator } from '@mikro-orm/migrations'
import { MikroORM } from '@mikro-orm/postgresql'
import { PetRecord } from '@pet-store/persistence-mikro-orm'
import { PostgresDialect } from 'kysely'
import { CreatePets } from './migrations/0001-create-pets.ts'
import type { PostgresDatabase } from './open-postgres-database.ts'

/** Every migration in order. A name is in the databases of others: it never changes, and no entry is ever removed. */
const MIGRATIONS = [{ name: '0001-create-pets', class: CreatePets }]

/** The ORM over open connections. It holds nothing else: ending the pool is all that closing takes. */
export function createPostgresOrm({ name, pool }: PostgresDatabase): MikroORM {
  return new MikroORM({
    entities: [PetRecord],
    // The migrator would create a database of any other name.
    dbName: name,
    driverOptions: new PostgresDialect({ pool }),
    // Given here, so that the ORM does not go looking for installed packages; a bundled program has none.
    extensions: [Migrator],
    migrations: {
      migrationsList: MIGRATIONS,
      tableName: 'migration',
      // Migrations are written by hand and compared with the entities by a test.
      snapshot: false,
      // `postgres-migrations.ts` holds one transaction around everything, and says what was done.
      transactional: false,
      silent: true,
    },
    debug: false,
    // What is left to say are warnings of the ORM, and standard output belongs to the program.
    logger: (message) => console.error(message),
  })
}
