import type { WireResponse } from '@pet-store/testing'
import { label } from '../intended-pets.ts'
import { type IntendedPet, petIn, type StoredPet, type WorldLedger } from '../world-ledger.ts'

/** Checks what a read has returned, and records what is wrong. */
export class ReadCheck {
  readonly #ledger: WorldLedger

  constructor(ledger: WorldLedger) {
    this.#ledger = ledger
  }

  checkGet(
    id: string,
    intended: IntendedPet | undefined,
    response: WireResponse | undefined,
  ): void {
    if (response === undefined || [401, 429, 500, 503].includes(response.status)) return
    if (intended === undefined) {
      if (response.status !== 404)
        this.#ledger.violate(`get ${id}: ${response.status}, expected 404`)
      return
    }
    if (response.status !== 200) {
      this.#ledger.violate(`get ${id}: ${response.status}`)
      return
    }
    this.#checkPet(petIn(response.text), id)
    if (petIn(response.text).name !== intended.name)
      this.#ledger.violate(`get ${id} has returned ${response.text.slice(0, 80)}`)
  }

  checkFailure(path: string, response: WireResponse | undefined): undefined {
    if (response !== undefined && ![401, 429, 500, 503].includes(response.status))
      this.#ledger.violate(`${path}: ${response.status} ${response.text}`)
    return undefined
  }

  checkPage(path: string, pets: readonly StoredPet[], limit: number, status: string | undefined) {
    if (pets.length > limit) this.#ledger.violate(`${path}: ${pets.length} pets`)
    for (const pet of pets) {
      this.#checkPet(pet, pet.id)
      if (status !== undefined && pet.status !== status)
        this.#ledger.violate(`${path}: ${pet.id} is ${pet.status}`)
    }
  }

  /** A pet that is returned is one that a client intended, with the same content. */
  #checkPet(pet: StoredPet, id: string): void {
    const intended = this.#ledger.intendedPets.get(pet.name)
    if (pet.id !== id) this.#ledger.violate(`asked for ${id}, returned ${pet.id}`)
    if (intended === undefined) {
      this.#ledger.violate(`${pet.id} is ${pet.name}, never intended`)
      return
    }
    if (intended.categoryId !== pet.categoryId || (intended.status ?? null) !== pet.status)
      this.#ledger.violate(`${pet.name} is returned as ${JSON.stringify(pet)}`)
    if (intended.ids.size > 0 && !intended.ids.has(pet.id))
      this.#ledger.violate(`${pet.name} is listed as ${pet.id}, acknowledged otherwise`)
  }

  checkWholeList(
    path: string,
    pets: readonly StoredPet[],
    before: readonly IntendedPet[],
    status: string | undefined,
  ): void {
    const ids = pets.map(({ id }) => BigInt(id))
    const isAscending = ids.every((id, index) => index === 0 || id > (ids[index - 1] as bigint))
    if (!isAscending) this.#ledger.violate(`${path}: not in order, ${ids.join(', ')}`)
    const found = new Set(pets.map(({ name }) => name))
    for (const intended of before) {
      if (status !== undefined && intended.status !== status) continue
      if (!found.has(intended.name)) this.#ledger.violate(`${path} has missed ${label(intended)}`)
    }
  }
}
