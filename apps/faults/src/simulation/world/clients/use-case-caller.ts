import { isPetError } from '@pet-store/domain'
import type { Instance } from '../instance.ts'
import { inputOf, label } from '../intended-pets.ts'
import type { IntendedPet, WorldLedger } from '../world-ledger.ts'

/** Far more than the sum of what a call may wait for. */
export const CALL_LIMIT_MS = 90_000

/** A program of another team, which calls the use cases itself. */
export class UseCaseCaller {
  readonly #ledger: WorldLedger

  constructor(ledger: WorldLedger) {
    this.#ledger = ledger
  }

  async create(
    instance: Instance,
    intended: IntendedPet,
    cancellation: { readonly aborted: boolean },
  ): Promise<void> {
    const creating = instance.pets.createPet(inputOf(intended), { cancellation })
    try {
      const { pet } = await this.#ledger.call(
        `use case ${label(intended)}`,
        CALL_LIMIT_MS,
        creating,
      )
      const { id, name, categoryId, status = null } = pet
      this.#ledger.added(intended, { id: `${id}`, name, categoryId: `${categoryId}`, status })
    } catch (error) {
      if (isPetError(error) && error.outcome === 'unknown') intended.isUnknown = true
      else intended.isDenied = true
      this.#ledger.note(`use case ${label(intended)}: ${String(error)}`)
    }
  }

  async find(instance: Instance, intended: IntendedPet): Promise<void> {
    const [id = '0'] = intended.ids
    const finding = instance.pets.getPet(BigInt(id))
    try {
      const pet = await this.#ledger.call(`find ${id}`, CALL_LIMIT_MS, finding)
      if (pet.name !== intended.name) this.#ledger.violate(`find ${id} has returned ${pet.name}`)
    } catch (error) {
      const isUnavailable = isPetError(error) && error.code === 'persistence_unavailable'
      if (!isUnavailable) this.#ledger.note(`find ${id}: ${String(error)}`)
      if (isPetError(error) && error.code === 'pet_not_found')
        this.#ledger.violate(`find ${id}: not found`)
    }
  }
}
