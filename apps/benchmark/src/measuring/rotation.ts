import { type Estimate, estimate } from './statistics.ts'

/** The slices of one entrant, each with the baseline's slice right before or after it. */
export interface Series<Slice> {
  readonly slices: Slice[]
  readonly neighbours: Slice[]
}

/**
 * Lets everybody in a heat take slices in turn, each together with one of the first of them, the
 * baseline: whatever slows the machine down for a second or more slows both. Every other round is
 * reversed, so that nobody always comes first.
 */
export async function rotate<Entrant, Slice>(
  heats: readonly (readonly Entrant[])[],
  take: (entrant: Entrant) => Promise<Slice>,
  rounds: number,
  log: (line: string) => void,
): Promise<(Entrant & { readonly series: Series<Slice> })[]> {
  const emptySeries = (): Series<Slice> => ({ slices: [], neighbours: [] })
  const results = new Map(heats.flat().map((entrant) => [entrant, emptySeries()]))
  for (let round = 0; round < rounds; round += 1) {
    if (round % 10 === 0) log(`round ${round + 1} of ${rounds}`)
    for (const pair of heats.flatMap(pairs)) {
      const taken = new Map<unknown, Slice>()
      for (const entrant of round % 2 === 0 ? pair : pair.toReversed())
        taken.set(entrant, await take(entrant))
      for (const entrant of pair) {
        results.get(entrant)?.slices.push(taken.get(entrant) as Slice)
        results.get(entrant)?.neighbours.push(taken.get(pair[0]) as Slice)
      }
    }
  }
  return [...results].map(([entrant, series]) => ({ ...entrant, series }))
}

/** Each entrant with the baseline before it; the baseline alone where it has no others. */
function pairs<E>([baseline, ...others]: readonly E[]): E[][] {
  if (baseline === undefined) return []
  return others.length === 0 ? [[baseline]] : others.map((entrant) => [baseline, entrant])
}

/** Slices that have this figure among others. */
type SeriesOf<Figure extends string> = Series<Readonly<Record<Figure, number>>>

/** How many times the baseline's figure an entrant's is: the middle over neighbouring slices. */
export function ratio<Figure extends string>(
  { slices, neighbours }: SeriesOf<Figure>,
  figure: Figure,
): Estimate {
  return estimate(
    slices.map((slice, index) => slice[figure] / (neighbours[index] ?? slice)[figure]),
  )
}

/** How much more than the baseline's figure an entrant's is. */
export function difference<Figure extends string>(
  { slices, neighbours }: SeriesOf<Figure>,
  figure: Figure,
): Estimate {
  return estimate(
    slices.map((slice, index) => slice[figure] - (neighbours[index] ?? slice)[figure]),
  )
}

export function middleOf<Figure extends string>(
  slices: SeriesOf<Figure>['slices'],
  figure: Figure,
): number {
  return estimate(slices.map((slice) => slice[figure])).middle
}
