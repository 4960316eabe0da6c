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
 * Lets everybody in a heat take slices in turn, the first of them, the baseline, after every second one, so that each
 * slice has one of the baseline as its neighbour: whatever slows the machine down for a second or more slows both.
 */
export async function rotate<Slice, Info>(
  heats: readonly (readonly Entrant<Slice, Info>[])[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<(Info & { readonly series: Series<Slice> })[]> {
  const results = new Map(heats.flat().map((one) => [one, emptySeries<Slice>()]))
  for (let round = 0; round < rounds; round += 1) {
    onRound(round)
    for (const heat of heats) {
      const order = turns(heat, round)
      const taken: Slice[] = []
      for (const entrant of order) taken.push(await entrant.take())
      for (const [index, entrant] of order.entries()) {
        const beside = order[index - 1] === heat[0] ? index - 1 : index + 1
        const [slice, neighbour] = [taken[index], taken[entrant === heat[0] ? index : beside]]
        if (slice === undefined || neighbour === undefined) continue
        results.get(entrant)?.slices.push(slice)
        results.get(entrant)?.neighbours.push(neighbour)
      }
    }
  }
  return [...results].map(([{ info }, series]) => ({ ...info, series }))
}

function emptySeries<Slice>(): Series<Slice> {
  return { slices: [], neighbours: [] }
}

/** The order of one round; reversed in the next, so that nobody always follows the same one. */
export function turns<E>([baseline, ...others]: readonly E[], round: number): E[] {
  if (baseline === undefined) return []
  const order = others.flatMap((entrant, index) => (index % 2 === 0 ? [baseline, entrant] : [entrant]))
  if (others.length % 2 === 0) order.push(baseline)
  return round % 2 === 0 ? order : order.reverse()
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
