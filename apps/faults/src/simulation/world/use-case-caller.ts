import { isPetError } from '@pet-store/domain'
import type { Instance } from './instance.ts'
import type { Record, Wish } from './record.ts'
import { inputOf, label } from './wishes.ts'

/** Far more than the sum of what a call may wait for. */
export const CALL_LIMIT_MS = 90_000

/** A program of another team, which calls the use cases itself. */
export class UseCaseCaller {
  readonly #record: Record

  constructor(record: Record) {
    this.#record = record
  }

  async create(
    instance: Instance,
    wish: Wish,
    cancellation: { readonly aborted: boolean },
  ): Promise<void> {
    const creating = instance.pets.createPet(inputOf(wish), { cancellation })
    try {
      const { pet } = await this.#record.call(`use case ${label(wish)}`, CALL_LIMIT_MS, creating)
      const { id, name, categoryId, status = null } = pet
      this.#record.added(wish, { id: `${id}`, name, categoryId: `${categoryId}`, status })
    } catch (error) {
      if (isPetError(error) && error.outcome === 'unknown') wish.isUnknown = true
      else wish.isDenied = true
      this.#record.note(`use case ${label(wish)}: ${String(error)}`)
    }
  }

  async find(instance: Instance, wish: Wish): Promise<void> {
    const [id = '0'] = wish.ids
    const finding = instance.pets.getPet(BigInt(id))
    try {
      const pet = await this.#record.call(`find ${id}`, CALL_LIMIT_MS, finding)
      if (pet.name !== wish.name) this.#record.violate(`find ${id} has returned ${pet.name}`)
    } catch (error) {
      const isUnavailable = isPetError(error) && error.code === 'persistence_unavailable'
      if (!isUnavailable) this.#record.note(`find ${id}: ${String(error)}`)
      if (isPetError(error) && error.code === 'pet_not_found')
        this.#record.violate(`find ${id}: not found`)
    }
  }
}
