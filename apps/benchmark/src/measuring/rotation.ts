import { type Estimate, estimate } from './statistics.ts'

/** Somebody who takes slices in turn with others. */
export interface Entrant<Slice, Info> {
  /** Who it is, for the results. */
  readonly info: Info
  take(): Promise<Slice>
}

/** The slices of one entrant, each with the baseline's slice right before or after it. */
export interface Series<Slice> {
  readonly slices: Slice[]
  readonly neighbours: Slice[]
}

export type Figure<Slice> = (slice: Slice) => number

/**
 * Lets everybody in a heat take slices in turn, each together with one of the first of them, the baseline: whatever slows
 * the machine down for a second or more slows both. Every other round is reversed, so that nobody always comes first.
 */
export async function rotate<Slice, Info>(
  heats: readonly (readonly Entrant<Slice, Info>[])[],
  rounds: number,
  log: (line: string) => void,
): Promise<(Info & { readonly series: Series<Slice> })[]> {
  const emptySeries = (): Series<Slice> => ({ slices: [], neighbours: [] })
  const results = new Map(heats.flat().map((one) => [one, emptySeries()]))
  for (let round = 0; round < rounds; round += 1) {
    if (round % 10 === 0) log(`round ${round + 1} of ${rounds}`)
    for (const pair of heats.flatMap(pairs)) {
      const taken = new Map<unknown, Slice>()
      for (const entrant of round % 2 === 0 ? pair : pair.toReversed()) taken.set(entrant, await entrant.take())
      for (const entrant of pair) {
        results.get(entrant)?.slices.push(taken.get(entrant) as Slice)
        results.get(entrant)?.neighbours.push(taken.get(pair[0]) as Slice)
      }
    }
  }
  return [...results].map(([{ info }, series]) => ({ ...info, series }))
}

/** Each entrant with the baseline before it; the baseline alone where it has no others. */
function pairs<E>([baseline, ...others]: readonly E[]): E[][] {
  if (baseline === undefined) return []
  return others.length === 0 ? [[baseline]] : others.map((entrant) => [baseline, entrant])
}

/** How many times the baseline's figure an entrant's is: the middle over neighbouring slices. */
export function ratio<Slice>({ slices, neighbours }: Series<Slice>, figure: Figure<Slice>): Estimate {
  return estimate(slices.map((slice, index) => figure(slice) / figure(neighbours[index] ?? slice)))
}

/** How much more than the baseline's figure an entrant's is. */
export function difference<Slice>({ slices, neighbours }: Series<Slice>, figure: Figure<Slice>): Estimate {
  return estimate(slices.map((slice, index) => figure(slice) - figure(neighbours[index] ?? slice)))
}

export function figureOf<Slice>({ slices }: Series<Slice>, figure: Figure<Slice>): Estimate {
  return estimate(slices.map(figure))
}
