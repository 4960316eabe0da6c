import type { WireResponse } from '@pet-store/testing'

/** A pet that a client intends to create, under a name of its own, and what clients were told. */
export interface IntendedPet {
  readonly name: string
  readonly categoryId: string
  readonly status: 'available' | 'pending' | 'sold' | undefined
  readonly key: UsedKey | undefined
  /** Whether the server rejects the values. */
  readonly isRejected: boolean
  /** The ids that clients were told. */
  readonly ids: Set<string>
  /** Whether a program was told that it is stored, without its id. */
  isStored: boolean
  /** Whether the latest response said that it was not added. */
  isDenied: boolean
  /** Whether a client does not know. */
  isUnknown: boolean
  /** Whether it was told that the key belongs to another pet. */
  isReused: boolean
}

/** An idempotency key of a client. */
export interface UsedKey {
  readonly text: string
  /**
   * Whose key it is, and in which of its lifetimes. Pets with one use exclude each other, unless
   * they are equal.
   */
  readonly use: string
}

/** The same before any response. */
export type NewIntendedPet = Pick<
  IntendedPet,
  'name' | 'categoryId' | 'status' | 'key' | 'isRejected'
>

export interface StoredPet {
  readonly id: string
  readonly name: string
  readonly categoryId: string
  readonly status: string | null
}

/** What clients were told, and what was wrong with it. */
export class WorldLedger {
  readonly intendedPets = new Map<string, IntendedPet>()
  readonly violations: string[] = []
  /** The calls that have not settled yet, with the time by which they must. */
  readonly calls = new Map<symbol, { readonly what: string; readonly deadlineMs: number }>()
  /** What happened, for whoever looks at a failed seed. */
  readonly trail: string[] = []
  #numbers = 0

  /** For names that are used once in a world. */
  nextNumber(): number {
    this.#numbers += 1
    return this.#numbers
  }

  /** Notes that a client is about to create a pet. */
  intend(intended: NewIntendedPet): IntendedPet {
    const state = {
      ids: new Set<string>(),
      isStored: false,
      isDenied: false,
      isUnknown: false,
      isReused: false,
    }
    const noted = { ...intended, ...state }
    this.intendedPets.set(intended.name, noted)
    return noted
  }

  /** The pets whose clients know their ids. */
  get acknowledged(): readonly IntendedPet[] {
    return [...this.intendedPets.values()].filter(({ ids }) => ids.size > 0)
  }

  /** These, and the pets that a program has imported. */
  get acknowledgedOrImported(): readonly IntendedPet[] {
    return [...this.intendedPets.values()].filter(({ ids, isStored }) => ids.size > 0 || isStored)
  }

  violate(what: string): void {
    this.violations.push(what)
    this.note(`VIOLATION ${what}`)
  }

  note(what: string): void {
    this.trail.push(`${performance.now().toFixed(0)} ${what}`)
  }

  /** Follows a call until it settles. */
  async call<Result>(what: string, limitMs: number, work: Promise<Result>): Promise<Result> {
    const id = Symbol(what)
    this.calls.set(id, { what, deadlineMs: performance.now() + limitMs })
    try {
      return await work
    } finally {
      this.calls.delete(id)
    }
  }

  /** The calls that are late. */
  get late(): readonly string[] {
    const now = performance.now()
    return [...this.calls.values()]
      .filter(({ deadlineMs }) => deadlineMs < now)
      .map(({ what }) => what)
  }

  /** Notes that a pet was added. */
  added(intended: IntendedPet, pet: StoredPet): void {
    intended.ids.add(pet.id)
    intended.isDenied = false
    const isEqual =
      pet.name === intended.name &&
      pet.categoryId === intended.categoryId &&
      pet.status === (intended.status ?? null)
    if (!isEqual) this.violate(`${intended.name} was added as ${JSON.stringify(pet)}`)
    if (intended.isRejected) this.violate(`${intended.name} was added, which the server rejects`)
    if (intended.ids.size > 1)
      this.violate(`${intended.name} has the ids ${[...intended.ids].join(', ')}, by one key`)
  }

  /** Notes a response to a creation, or that there was none. */
  noteCreation(intended: IntendedPet, response: WireResponse | undefined): void {
    if (response === undefined) {
      intended.isUnknown = true
      return
    }
    const { status, headers, text } = response
    if (status === 201) {
      this.added(intended, petIn(text))
      return
    }
    const saysNotAdded = text.includes('was not added')
    if (saysNotAdded && intended.key !== undefined)
      this.violate(`${intended.name}: "was not added", with an idempotency key`)
    if (status === 503 && headers['retry-after'] === undefined)
      this.violate(`${intended.name}: 503 without Retry-After`)
    if (status === 422 && intended.key !== undefined) intended.isReused = true
    else if (status === 503 && !saysNotAdded) intended.isUnknown = true
    else if (intended.key === undefined) intended.isDenied = true
    else if (status === 500) intended.isUnknown = true
    if (![400, 401, 422, 429, 500, 503].includes(status))
      this.violate(`${intended.name}: unexpected ${status} ${text}`)
  }

  /** Compares what clients were told with what is stored. */
  compare(stored: readonly StoredPet[]): void {
    const byName = new Map<string, StoredPet[]>()
    for (const pet of stored) byName.set(pet.name, [...(byName.get(pet.name) ?? []), pet])
    for (const [name, pets] of byName) {
      if (pets.length > 1) this.violate(`${name} is stored ${pets.length} times`)
      if (!this.intendedPets.has(name)) this.violate(`${name} is stored, which nobody intended`)
    }
    const namesByKey = new Map<string, string[]>()
    for (const intended of this.intendedPets.values()) {
      const pets = byName.get(intended.name) ?? []
      if (intended.key !== undefined && pets.length > 0)
        namesByKey.set(intended.key.use, [
          ...(namesByKey.get(intended.key.use) ?? []),
          intended.name,
        ])
      this.#compareOne(intended, pets)
    }
    for (const [key, names] of namesByKey)
      if (names.length > 1) this.violate(`the key ${key} has stored ${names.join(' and ')}`)
  }

  #compareOne(intended: IntendedPet, pets: readonly StoredPet[]): void {
    const [pet] = pets
    for (const id of intended.ids) {
      const isStored = pets.some((one) => one.id === id)
      if (!isStored) this.violate(`${intended.name} was acknowledged as ${id} and is not stored so`)
    }
    if (pet === undefined) {
      if (intended.isStored) this.violate(`${intended.name} was imported and is not stored`)
      return
    }
    if (intended.isRejected) this.violate(`${intended.name} is stored, which the server rejects`)
    if (intended.isDenied && !intended.isUnknown)
      this.violate(`${intended.name} is stored, told that it was not added`)
    if (intended.isReused)
      this.violate(`${intended.name} is stored, told that its key is another pet's`)
    const isEqual =
      pet.categoryId === intended.categoryId && pet.status === (intended.status ?? null)
    if (!isEqual) this.violate(`${intended.name} is stored as ${JSON.stringify(pet)}`)
  }
}

/** The pet in JSON, its integers as their digits. */
export function petIn(json: string): StoredPet {
  return petsIn(`[${json}]`)[0] as StoredPet
}

export function petsIn(json: string): readonly StoredPet[] {
  const exact = json.replaceAll(/"(id|categoryId)":(-?\d+)/g, '"$1":"$2"')
  const pets = JSON.parse(exact) as Partial<StoredPet>[]
  return pets.map(({ id = '', name = '', categoryId = '', status = null }) => ({
    id,
    name,
    categoryId,
    status,
  }))
}
