// The table of pets, for the ORM of an adapter
export { ormOptions } from './orm-options.ts'
export { PetRecord } from './pet-record.ts'

// The repository over it
export { MikroOrmPetRepository } from './mikro-orm-pet-repository.ts'
export { compilePetStatements } from './pet-statements.ts'
export type { PetStatements } from './pet-statements.ts'

// What an adapter brings
export type { SqlValue, Statement, StatementRunner } from './statement-runner.ts'
