import type { WireResponse } from '@pet-store/testing'

/** What a client knows of one pet that it asked for. */
type Outcome =
  | { readonly is: 'acknowledged'; readonly id: string }
  /** The service said that the pet was not added. */
  | { readonly is: 'rejected' }
  | { readonly is: 'unknown' }

/** A pet as the service returns it; the id as its digits, which a number would round. */
export interface StoredPet {
  readonly id: string
  readonly name: string
}

export interface Findings {
  readonly acknowledged: number
  readonly rejected: number
  readonly unknown: number
  /** Pets of unknown outcome that are stored. */
  readonly unknownStored: number
  /** Names of acknowledged pets that are not stored under their id. */
  readonly lost: readonly string[]
  /** Names that are stored more than once. */
  readonly doubled: readonly string[]
  /** Names of stored pets that the service said it had not added. */
  readonly storedThoughRejected: readonly string[]
  /** Names of stored pets that nobody asked for. */
  readonly foreign: readonly string[]
  /** Responses that no request should have had, such as a 500. */
  readonly unexpected: readonly string[]
}

/** Notes what clients were told of each pet, by its name, and compares that with what is stored. */
export class Ledger {
  readonly #outcomes = new Map<string, Outcome>()
  /** How often each kind of response came. */
  readonly #unexpected = new Map<string, number>()

  get acknowledged(): number {
    return this.#count('acknowledged')
  }

  get rejected(): number {
    return this.#count('rejected')
  }

  /** Notes a response to the creation of a pet, or that there was none. Returns whether the pet is acknowledged now. */
  note(name: string, response: WireResponse | undefined, hasIdempotencyKey = false): boolean {
    const outcome = this.#outcomeOf(response, hasIdempotencyKey)
    this.#outcomes.set(name, outcome)
    return outcome.is === 'acknowledged'
  }

  /** Notes that a request ended without a response although the client waited: its pet must not be stored. */
  noteUnanswered(name: string): void {
    this.#outcomes.set(name, { is: 'rejected' })
  }

  #outcomeOf(response: WireResponse | undefined, hasIdempotencyKey: boolean): Outcome {
    if (response === undefined) return { is: 'unknown' }
    const { status, headers, text } = response
    if (status === 201) return { is: 'acknowledged', id: idIn(text) }
    if (status === 503 && headers['retry-after'] === undefined) this.#noteUnexpected('503 without Retry-After')
    const saysNotAdded = text.includes('was not added')
    // An earlier request with the same key may have added the pet, so nobody can say that.
    if (saysNotAdded && hasIdempotencyKey) this.#noteUnexpected('"was not added" to a request with an idempotency key')
    else if (status === 503 && saysNotAdded) return { is: 'rejected' }
    else if (status !== 503 || !(hasIdempotencyKey || text.includes('may have been added')))
      this.#noteUnexpected(`${status} ${text.slice(0, 200)}`)
    return { is: 'unknown' }
  }

  compare(stored: readonly StoredPet[]): Findings {
    const idsByName = new Map<string, string[]>()
    for (const { id, name } of stored) {
      const ids = idsByName.get(name)
      if (ids === undefined) idsByName.set(name, [id])
      else ids.push(id)
    }
    const names = [...this.#outcomes]
    return {
      acknowledged: this.acknowledged,
      rejected: this.rejected,
      unknown: this.#count('unknown'),
      unknownStored: names.filter(([name, { is }]) => is === 'unknown' && idsByName.has(name)).length,
      lost: names
        .filter(([name, outcome]) => outcome.is === 'acknowledged' && !idsByName.get(name)?.includes(outcome.id))
        .map(([name]) => name),
      doubled: [...idsByName].filter(([, ids]) => ids.length > 1).map(([name]) => name),
      storedThoughRejected: names
        .filter(([name, { is }]) => is === 'rejected' && idsByName.has(name))
        .map(([name]) => name),
      foreign: [...idsByName.keys()].filter((name) => !this.#outcomes.has(name)),
      unexpected: [...this.#unexpected].map(([kind, times]) => `${times} times: ${kind}`),
    }
  }

  #noteUnexpected(kind: string): void {
    this.#unexpected.set(kind, (this.#unexpected.get(kind) ?? 0) + 1)
  }

  #count(outcome: Outcome['is']): number {
    let count = 0
    for (const { is } of this.#outcomes.values()) if (is === outcome) count += 1
    return count
  }
}

/** The digits of the id in the JSON of one pet. */
export function idIn(json: string): string {
  return /"id":(-?[0-9]+)/.exec(json)?.[1] ?? ''
}

/** The findings as figures: lists by their length. */
export function figures(findings: Findings): Record<string, number> {
  return Object.fromEntries(
    Object.entries(findings).map(([name, value]) => [name, typeof value === 'number' ? value : value.length]),
  )
}

/** What the findings must be: nothing lost, doubled or told wrongly. */
export const NOTHING_WRONG = {
  lost: [],
  doubled: [],
  storedThoughRejected: [],
  foreign: [],
  unexpected: [],
} satisfies Partial<Findings>
