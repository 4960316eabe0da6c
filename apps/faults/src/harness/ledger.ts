import type { WireResponse } from '@pet-store/testing'

/** What a client knows of one pet that it asked for: its id, that it was not added, or neither. */
type Outcome = { readonly id: string } | 'rejected' | 'unknown'

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

/** Notes what the service said of each pet, by its name, and compares it with what is stored. */
export class Ledger {
  readonly #outcomes = new Map<string, Outcome>()
  /** How often each kind of response came. */
  readonly #unexpected = new Map<string, number>()

  get acknowledged(): number {
    return this.#names((outcome) => typeof outcome === 'object').length
  }

  get rejected(): number {
    return this.#names((outcome) => outcome === 'rejected').length
  }

  /**
   * Notes a response to the creation of a pet, or that there was none. Returns whether the pet is
   * acknowledged now.
   */
  note(name: string, response: WireResponse | undefined, hasIdempotencyKey = false): boolean {
    const outcome = this.#outcomeOf(response, hasIdempotencyKey)
    this.#outcomes.set(name, outcome)
    return typeof outcome === 'object'
  }

  /**
   * Notes that a request ended without a response although the client waited: its pet must not be
   * stored.
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
    // An earlier request with the same key may have added the pet, so nobody can say that.
    if (saysNotAdded && hasIdempotencyKey)
      this.#noteUnexpected('"was not added" to a request with an idempotency key')
    else if (status === 503 && saysNotAdded) return 'rejected'
    else if (status !== 503 || !(hasIdempotencyKey || text.includes('may have been added')))
      this.#noteUnexpected(`${status} ${text.slice(0, 200)}`)
    return 'unknown'
  }

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
      doubled: [...idsByName].filter(([, ids]) => ids.length > 1).map(([name]) => name),
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

/** The findings as figures: lists by their length. */
export function figures(findings: Findings): Record<string, number> {
  return Object.fromEntries(
    Object.entries(findings).map(([name, value]) => [
      name,
      typeof value === 'number' ? value : value.length,
    ]),
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
