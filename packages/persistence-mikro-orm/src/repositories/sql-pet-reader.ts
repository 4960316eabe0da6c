import { INT64, type Pet, type PetId, type PetQuery, type PetRepository } from '@pet-store/domain'
import { petFromColumns } from '../entities/pet-columns.ts'
import type { PetStatements } from '../statements/pet-statements.ts'
import type { StatementRunner } from '../statements/statement-runner.ts'

/** Reads pets by prepared statements. */
export class SqlPetReader implements Pick<PetRepository, 'find' | 'list'> {
  readonly #find
  readonly #list
  readonly #listAfter
  readonly #listWithStatus
  readonly #listWithStatusAfter

  constructor(statements: PetStatements, runner: Pick<StatementRunner, 'readOne' | 'readAll'>) {
    this.#find = runner.readOne(statements.find, petFromColumns)
    this.#list = runner.readAll(statements.list, petFromColumns)
    this.#listAfter = runner.readAll(statements.listAfter, petFromColumns)
    this.#listWithStatus = runner.readAll(statements.listWithStatus, petFromColumns)
    this.#listWithStatusAfter = runner.readAll(statements.listWithStatusAfter, petFromColumns)
  }

  // Neither function is `async`: both return the promise of the runner, because each further
  // promise costs time on the hot path.
  find(id: PetId): Promise<Pet | undefined> {
    // No pet has an id outside int64, and a database would reject it as a value.
    if (id < INT64.min || id > INT64.max) return Promise.resolve(undefined)
    return this.#find([id])
  }

  list({ status, after, limit }: PetQuery): Promise<readonly Pet[]> {
    if (after === undefined || after < INT64.min) {
      return status === undefined ? this.#list([limit]) : this.#listWithStatus([status, limit])
    }
    if (after > INT64.max) return Promise.resolve([])
    return status === undefined
      ? this.#listAfter([after, limit])
      : this.#listWithStatusAfter([status, after, limit])
  }
}
