import type { WireResponse } from '@pet-store/testing'
import { petIn, type Record, type StoredPet, type Wish } from './record.ts'
import { label } from './wishes.ts'

/** Checks what a read has returned, and records what is wrong. */
export class ReadCheck {
  readonly #record: Record

  constructor(record: Record) {
    this.#record = record
  }

  checkGet(id: string, wish: Wish | undefined, response: WireResponse | undefined): void {
    if (response === undefined || [401, 429, 500, 503].includes(response.status)) return
    if (wish === undefined) {
      if (response.status !== 404)
        this.#record.violate(`get ${id}: ${response.status}, expected 404`)
      return
    }
    if (response.status !== 200) {
      this.#record.violate(`get ${id}: ${response.status}`)
      return
    }
    this.#checkPet(petIn(response.text), id)
    if (petIn(response.text).name !== wish.name)
      this.#record.violate(`get ${id} has returned ${response.text.slice(0, 80)}`)
  }

  checkFailure(path: string, response: WireResponse | undefined): undefined {
    if (response !== undefined && ![401, 429, 500, 503].includes(response.status))
      this.#record.violate(`${path}: ${response.status} ${response.text}`)
    return undefined
  }

  checkPage(path: string, pets: readonly StoredPet[], limit: number, status: string | undefined) {
    if (pets.length > limit) this.#record.violate(`${path}: ${pets.length} pets`)
    for (const pet of pets) {
      this.#checkPet(pet, pet.id)
      if (status !== undefined && pet.status !== status)
        this.#record.violate(`${path}: ${pet.id} is ${pet.status}`)
    }
  }

  /** A pet that is returned is one that a client wanted, with the same content. */
  #checkPet(pet: StoredPet, id: string): void {
    const wish = this.#record.wishes.get(pet.name)
    if (pet.id !== id) this.#record.violate(`asked for ${id}, returned ${pet.id}`)
    if (wish === undefined) {
      this.#record.violate(`${pet.id} is ${pet.name}, never wanted`)
      return
    }
    if (wish.categoryId !== pet.categoryId || (wish.status ?? null) !== pet.status)
      this.#record.violate(`${pet.name} is returned as ${JSON.stringify(pet)}`)
    if (wish.ids.size > 0 && !wish.ids.has(pet.id))
      this.#record.violate(`${pet.name} is listed as ${pet.id}, acknowledged otherwise`)
  }

  checkWalk(
    path: string,
    pets: readonly StoredPet[],
    before: readonly Wish[],
    status: string | undefined,
  ): void {
    const ids = pets.map(({ id }) => BigInt(id))
    const isAscending = ids.every((id, index) => index === 0 || id > (ids[index - 1] as bigint))
    if (!isAscending) this.#record.violate(`${path}: not in order, ${ids.join(', ')}`)
    const found = new Set(pets.map(({ name }) => name))
    for (const wish of before) {
      if (status !== undefined && wish.status !== status) continue
      if (!found.has(wish.name)) this.#record.violate(`${path} has missed ${label(wish)}`)
    }
  }
}
