import { bulkCases } from './persistence-cases/bulk.ts'
import { declaringCases } from './persistence-cases/declaring.ts'
import { killingCases } from './persistence-cases/killing.ts'
import { migratingCases } from './persistence-cases/migrating.ts'
import { reopeningCases } from './persistence-cases/reopening.ts'
import { sharingCases } from './persistence-cases/sharing.ts'
import { unavailableCases } from './persistence-cases/unavailable.ts'
import type { HarnessCase, NotShown, PersistenceHarness } from './persistence-harness.ts'

/** A guarantee of a whole adapter as a function that checks it. */
export interface PersistenceCase {
  readonly id: string
  readonly name: string
  readonly timeLimitMs: number
  /**
   * Rejects when the guarantee is broken, or after the time limit. Resolves with `undefined` when it was shown, else
   * with the reason why it could not be shown.
   */
  readonly run: (timeLimitMs?: number) => Promise<NotShown | undefined>
}

const CASES: readonly HarnessCase[] = [
  ...[...reopeningCases, ...sharingCases, ...killingCases, ...migratingCases],
  ...[...bulkCases, ...unavailableCases, ...declaringCases],
]

/**
 * The contract of `Persistence` beyond its ports: what one open repository cannot show. `adapterContract` has it and the
 * contracts of the ports.
 */
export function persistenceContract(harness: PersistenceHarness): readonly PersistenceCase[] {
  return CASES.map(({ run, ...rest }) => ({ ...rest, run: (timeLimitMs) => run(harness, timeLimitMs) }))
}
