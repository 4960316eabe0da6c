import type { MetricValue } from './durations.ts'

/** How often things happened, by one label. */
export class Counts {
  readonly #label: string
  readonly #counts: Map<string, number>

  /** The values that are known beforehand are shown from the beginning, so that a first increase can be seen. */
  constructor(label: string, known: readonly string[] = []) {
    this.#label = label
    this.#counts = new Map(known.map((value) => [value, 0]))
  }

  note(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1)
  }

  values(): readonly MetricValue[] {
    return [...this.#counts].map(([value, count]) => ({ labels: { [this.#label]: value }, value: count }))
  }
}
