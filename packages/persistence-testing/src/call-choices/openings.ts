import fc from 'fast-check'
import type { OpenDatabase } from '../model/open-database.ts'

/** The number of an opening that makes a call. */
export const openings: fc.Arbitrary<number> = fc.nat({ max: 1 })

/** Which of those that are open. */
export function openingOf({ openings: all }: OpenDatabase, number: number): number {
  return number % all.length
}
