import { type Estimate, estimate } from './statistics.ts'

/** The slices of one participant, each with the baseline's slice right before or after it. */
export interface Series<Slice> {
  readonly slices: Slice[]
  readonly neighbours: Slice[]
}

/**
 * Lets the participants of a group take slices in turn, each right beside a slice of the first of
 * them, the baseline. Whatever slows the machine down for a second or more slows both. Every other
 * round is reversed, so that none always comes first. A participant is a contestant, perhaps at one
 * operation.
 */
export async function rotate<Participant, Slice>(
  groups: readonly (readonly Participant[])[],
  take: (participant: Participant) => Promise<Slice>,
  rounds: number,
  log: (line: string) => void,
): Promise<(Participant & { readonly series: Series<Slice> })[]> {
  const emptySeries = (): Series<Slice> => ({ slices: [], neighbours: [] })
  const results = new Map(groups.flat().map((participant) => [participant, emptySeries()]))
  for (let round = 0; round < rounds; round += 1) {
    if (round % 10 === 0) log(`round ${round + 1} of ${rounds}`)
    for (const pair of groups.flatMap(pairs)) {
      const taken = new Map<unknown, Slice>()
      for (const participant of round % 2 === 0 ? pair : pair.toReversed())
        taken.set(participant, await take(participant))
      for (const participant of pair) {
        results.get(participant)?.slices.push(taken.get(participant) as Slice)
        results.get(participant)?.neighbours.push(taken.get(pair[0]) as Slice)
      }
    }
  }
  return [...results].map(([participant, series]) => ({ ...participant, series }))
}

/** Each participant with the baseline before it; the baseline alone if there are no others. */
function pairs<E>([baseline, ...others]: readonly E[]): E[][] {
  if (baseline === undefined) return []
  return others.length === 0 ? [[baseline]] : others.map((participant) => [baseline, participant])
}

/** Slices that have this figure among others. */
type SeriesOf<Figure extends string> = Series<Readonly<Record<Figure, number>>>

/** The figure of a participant divided by that of the baseline, over neighbouring slices. */
export function ratio<Figure extends string>(
  { slices, neighbours }: SeriesOf<Figure>,
  figure: Figure,
): Estimate {
  return estimate(
    slices.map((slice, index) => slice[figure] / (neighbours[index] ?? slice)[figure]),
  )
}

/** How much more than the baseline's figure a participant's is. */
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
