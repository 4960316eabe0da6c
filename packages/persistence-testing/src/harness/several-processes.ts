import { assertTested } from '../case/not-tested.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

/** How many openings a case has at the same time: one if the adapter allows no more. */
export function maxOpenings({ capabilities }: PersistenceHarness, wanted: number): number {
  return capabilities?.severalProcesses ? wanted : 1
}

/** Two openings need an adapter that allows them. */
export function assertSeveralProcesses({ capabilities }: PersistenceHarness): void {
  assertTested(capabilities?.severalProcesses, 'the adapter does not declare severalProcesses')
}
