import type { PersistenceHarness } from '../../harness/persistence-harness.ts'
import type { CheckOptions } from '../check-harness.ts'

/** What a process that runs cases is given, as JSON in its last argument. */
export interface CasesToRun {
  readonly options: CheckOptions
  /** The ids of the cases, in their order. */
  readonly ids: readonly string[]
  /** Whether these are the first ones: then the database must be empty. */
  readonly isFirst: boolean
}

/** What that process sends; `alive` every second. */
export type ProcessEvent =
  | LoadedHarness
  | CaseResult
  | { readonly type: 'begun' }
  | { readonly type: 'alive' }
  /** A case begins. */
  | { readonly type: 'case'; readonly id: string }
  /** The calls that run when the process ends by itself in the middle of a case. */
  | { readonly type: 'ending'; readonly calls: readonly string[] }
  /** An error that nothing has waited for, after the case that is its cause. */
  | { readonly type: 'failed outside'; readonly message: string }
  /** The databases are not what the command needs; the process waits for its end. */
  | { readonly type: 'wrong use'; readonly message: string }

/** How a case has ended. */
export interface CaseResult {
  readonly type: 'result'
  readonly id: string
  readonly result: 'passed' | 'not tested' | 'failed'
  /** Why it was not tested, or how it has failed. */
  readonly reason?: string
  readonly durationMs: number
}

/** What it sends of its harness before the first case. */
export interface LoadedHarness {
  readonly type: 'harness'
  readonly capabilities: PersistenceHarness['capabilities'] | null
  /** Whether other processes may run other cases meanwhile. */
  readonly isConcurrent: boolean
  /** The names of the members that it has. */
  readonly members: readonly string[]
}
