import type { Slice } from './slice.ts'
import { type Estimate, estimate, sum } from './statistics.ts'

/** Somebody who takes slices in turn with others. */
export interface Entrant {
  /** Takes part in one of this many rounds. */
  readonly everyRounds: number
  take(): Promise<Slice>
}

/** Entrants that are compared with the first of them, the baseline. */
export type Heat<E extends Entrant> = readonly E[]

/** The slices of one entrant, each with the baseline's slice right before or after it. */
export interface Series {
  readonly slices: Slice[]
  readonly neighbours: Slice[]
  /** Slices thrown away and repeated because the host or another program took cores away meanwhile. */
  disturbed: number
}

export type Figure = (slice: Slice) => number

/**
 * Lets everybody take slices in turn, the baseline after every second one, so that each slice has one of the baseline as
 * its neighbour: whatever slows the machine down for a second or more slows both.
 */
export async function rotate<E extends Entrant>(
  heats: readonly Heat<E>[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<Map<E, Series>> {
  const results = new Map<E, Series>()
  for (const entrant of heats.flat()) results.set(entrant, { slices: [], neighbours: [], disturbed: 0 })
  for (let round = 0; round < rounds; round += 1) {
    onRound(round)
    for (const heat of heats) {
      const order = turns(heat, round)
      const taken: Slice[] = []
      for (const entrant of order) taken.push(await takeUndisturbed(entrant, results.get(entrant)))
      for (const [index, entrant] of order.entries()) {
        const slice = taken[index]
        const neighbour = taken[order[index - 1] === heat[0] ? index - 1 : index + 1]
        const compared = entrant === heat[0] ? slice : neighbour
        if (slice === undefined || compared === undefined) continue
        results.get(entrant)?.slices.push(slice)
        results.get(entrant)?.neighbours.push(compared)
      }
    }
  }
  return results
}

/** The order of one round; reversed in the next, so that nobody always follows the same one. */
export function turns<E extends Entrant>([baseline, ...others]: Heat<E>, round: number): E[] {
  if (baseline === undefined) return []
  const due = others.filter(({ everyRounds }, index) => (round + index) % everyRounds === 0)
  const order = due.flatMap((entrant, index) => (index % 2 === 0 ? [baseline, entrant] : [entrant]))
  if (due.length % 2 === 0) order.push(baseline)
  return round % 2 === 0 ? order : order.reverse()
}

/** On a machine that is never quiet, the second attempt counts as it is. */
async function takeUndisturbed(entrant: Entrant, series: Series | undefined): Promise<Slice> {
  const slice = await entrant.take()
  if (!slice.isDisturbed) return slice
  if (series !== undefined) series.disturbed += 1
  return entrant.take()
}

/** How many times the baseline's figure an entrant's is: the middle of the ratios of neighbouring slices. */
export function ratio({ slices, neighbours }: Series, figure: Figure): Estimate {
  return estimate(slices.map((slice, index) => figure(slice) / figure(neighbours[index] ?? slice)))
}

export function figureOf({ slices }: Series, figure: Figure): Estimate {
  return estimate(slices.map(figure))
}

/** The slices of several rotations together. */
export function joined(all: readonly Series[]): Series {
  return {
    slices: all.flatMap(({ slices }) => slices),
    neighbours: all.flatMap(({ neighbours }) => neighbours),
    disturbed: sum(all.map(({ disturbed }) => disturbed)),
  }
}
