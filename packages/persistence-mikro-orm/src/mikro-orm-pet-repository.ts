import { INT64, type NewPet, type Pet, type PetId, type PetQuery, type PetRepository } from '@pet-store/domain'
import { petFromRow } from './pet-mapping.ts'
import type { PetStatements } from './pet-statements.ts'
import type { StatementRunner } from './statement-runner.ts'

/** Pets in a database that MikroORM knows, read and written by statements that it compiled. */
export class MikroOrmPetRepository implements PetRepository {
  readonly #add
  readonly #find
  readonly #list
  readonly #listAfter
  readonly #listWithStatus
  readonly #listWithStatusAfter

  constructor(statements: PetStatements, runner: StatementRunner) {
    this.#add = runner.write(statements.add)
    this.#find = runner.readOne(statements.find, petFromRow)
    this.#list = runner.readAll(statements.list, petFromRow)
    this.#listAfter = runner.readAll(statements.listAfter, petFromRow)
    this.#listWithStatus = runner.readAll(statements.listWithStatus, petFromRow)
    this.#listWithStatusAfter = runner.readAll(statements.listWithStatusAfter, petFromRow)
  }

  async add({ name, categoryId, status }: NewPet): Promise<Pet> {
    const { id } = await this.#add([name, categoryId, status ?? null])
    return petFromRow({ id, name, category_id: categoryId, status: status ?? null })
  }

  // The reading methods pass the runner's promise on: one promise per call is all that the hot path pays for.
  find(id: PetId): Promise<Pet | undefined> {
    // No database can be asked for a number that its ids cannot hold, and the answer is known.
    if (id < INT64.min || id > INT64.max) return Promise.resolve(undefined)
    return this.#find([id])
  }

  list({ status, after, limit }: PetQuery): Promise<readonly Pet[]> {
    if (after === undefined || after < INT64.min) {
      return status === undefined ? this.#list([limit]) : this.#listWithStatus([status, limit])
    }
    if (after > INT64.max) return Promise.resolve([])
    return status === undefined ? this.#listAfter([after, limit]) : this.#listWithStatusAfter([status, after, limit])
  }
}
