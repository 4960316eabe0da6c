import type { WireResponse } from '@pet-store/testing'

/** What a client knows about a pet that it has sent: its id, that it was not added, or neither. */
type Outcome = { readonly id: string } | 'rejected' | 'unknown'

/** A pet as the service returns it, with the digits of its id, which a number would round. */
export interface StoredPet {
  readonly id: string
  readonly name: string
}

export interface Findings {
  readonly acknowledged: number
  readonly rejected: number
  readonly unknown: number
  /** The number of pets of unknown outcome that are stored. */
  readonly unknownStored: number
  /** The names of acknowledged pets that are not stored with their id. */
  readonly lost: readonly string[]
  /** The names of pets that are stored more than once. */
  readonly duplicated: readonly string[]
  /** The names of pets that are stored although the service said that they were not added. */
  readonly storedThoughRejected: readonly string[]
  /** The names of stored pets that no client has sent. */
  readonly foreign: readonly string[]
  /** Responses that no request should get, such as a 500. */
  readonly unexpected: readonly string[]
}

/**
 * Records what the service said about each pet, by its name, and compares it with what is stored.
 */
export class Ledger {
  readonly #outcomes = new Map<string, Outcome>()
  /** The number of unexpected responses of each kind. */
  readonly #unexpected = new Map<string, number>()

  get acknowledged(): number {
    return this.#names((outcome) => typeof outcome === 'object').length
  }

  get rejected(): number {
    return this.#names((outcome) => outcome === 'rejected').length
  }

  /**
   * Records a response to the creation of a pet, or that there was none. Returns whether the pet is
   * acknowledged.
   */
  note(name: string, response: WireResponse | undefined, hasIdempotencyKey = false): boolean {
    const outcome = this.#outcomeOf(response, hasIdempotencyKey)
    this.#outcomes.set(name, outcome)
    return typeof outcome === 'object'
  }

  /**
   * Records that a request ended without a response although its client waited, in which case the
   * pet must not be stored.
   */
  noteUnanswered(name: string): void {
    this.#outcomes.set(name, 'rejected')
  }

  #outcomeOf(response: WireResponse | undefined, hasIdempotencyKey: boolean): Outcome {
    if (response === undefined) return 'unknown'
    const { status, headers, text } = response
    if (status === 201) return { id: idIn(text) }
    if (status === 503 && headers['retry-after'] === undefined)
      this.#noteUnexpected('503 without Retry-After')
    const saysNotAdded = text.includes('was not added')
    // An earlier request with the same key may have added the pet, so the service must not say so.
    if (saysNotAdded && hasIdempotencyKey)
      this.#noteUnexpected('"was not added" to a request with an idempotency key')
    else if (status === 503 && saysNotAdded) return 'rejected'
    else if (status !== 503 || !(hasIdempotencyKey || text.includes('may have been added')))
      this.#noteUnexpected(`${status} ${text.slice(0, 200)}`)
    return 'unknown'
  }

  /** Compares what the service said with the pets that are stored. */
  compare(stored: readonly StoredPet[]): Findings {
    const idsByName = new Map<string, string[]>()
    for (const { id, name } of stored) idsByName.set(name, [...(idsByName.get(name) ?? []), id])
    return {
      acknowledged: this.acknowledged,
      rejected: this.rejected,
      unknown: this.#names((outcome) => outcome === 'unknown').length,
      unknownStored: this.#names((outcome, name) => outcome === 'unknown' && idsByName.has(name))
        .length,
      lost: this.#names(
        (outcome, name) =>
          typeof outcome === 'object' && !idsByName.get(name)?.includes(outcome.id),
      ),
      duplicated: [...idsByName].filter(([, ids]) => ids.length > 1).map(([name]) => name),
      storedThoughRejected: this.#names(
        (outcome, name) => outcome === 'rejected' && idsByName.has(name),
      ),
      foreign: [...idsByName.keys()].filter((name) => !this.#outcomes.has(name)),
      unexpected: [...this.#unexpected].map(([kind, times]) => `${times} times: ${kind}`),
    }
  }

  #names(isWanted: (outcome: Outcome, name: string) => boolean): readonly string[] {
    return [...this.#outcomes]
      .filter(([name, outcome]) => isWanted(outcome, name))
      .map(([name]) => name)
  }

  #noteUnexpected(kind: string): void {
    this.#unexpected.set(kind, (this.#unexpected.get(kind) ?? 0) + 1)
  }
}

/** The digits of the id in the JSON of one pet. */
export function idIn(json: string): string {
  return /"id":(-?[0-9]+)/.exec(json)?.[1] ?? ''
}

/** The findings as numbers: of a list, its length. */
export function figures(findings: Findings): Record<string, number> {
  return Object.fromEntries(
    Object.entries(findings).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : value.length,
    ]),
  )
}

/** What the findings must be: no pet is lost or duplicated, and no client was told an untruth. */
export const NOTHING_WRONG = {
  lost: [],
  duplicated: [],
  storedThoughRejected: [],
  foreign: [],
  unexpected: [],
} satisfies Partial<Findings>
