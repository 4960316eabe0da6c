import { TIME_LIMIT_MS } from '../case/contract-case.ts'
import type { PersistenceHarness } from '../persistence-harness.ts'
import type { CheckOptions } from './check-harness.ts'

/** What a process that runs cases is given, as JSON in its last argument. */
export interface CasesToRun {
  readonly options: CheckOptions
  /** The ids of the cases, in their order. */
  readonly ids: readonly string[]
  /** Whether these are the first ones: then the database must be empty. */
  readonly isFirst: boolean
}

/** What that process sends beside the events of the runner: `alive` every second. */
export type ProcessEvent = LoadedHarness | { readonly type: 'begun' } | { readonly type: 'alive' }

/** What it sends of its harness before the first case. */
export interface LoadedHarness {
  readonly type: 'harness'
  readonly capabilities: PersistenceHarness['capabilities'] | null
  /** Whether other processes may run other cases meanwhile. */
  readonly isConcurrent: boolean
}

/** A process takes longer to begin than this only on a machine that is busy, or slow. */
const BEGINS_WITHIN_MS = 1_000

/** How many times longer every limit is on a machine on which a process took so long to begin. */
export function slownessOf(beginningMs: number): number {
  return Math.max(1, beginningMs / BEGINS_WITHIN_MS)
}

/** How many times longer every limit is than usual, by the command line. */
export function scaleOf({ timeLimitSeconds = 0 }: CheckOptions): number {
  return (timeLimitSeconds * 1000) / TIME_LIMIT_MS || 1
}

/** The name of a case as a test: its id comes last. */
export function testNameOf({ id, name }: { readonly id: string; readonly name: string }): string {
  return `${name} (${id})`
}

/** The id of a case from the name of its test; `undefined` for another text. */
export function idOf(testName: string): string | undefined {
  return /[(]([\w.-]+)[)]$/.exec(testName)?.[1]
}
