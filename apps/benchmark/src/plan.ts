/** How long a comparison takes its time. */
export interface Plan {
  /** Pets in each database to begin with. */
  readonly size: number
  readonly connections: number
  /** Before an operation is measured: so many requests, but no longer than this. */
  readonly warmUpRequests: number
  readonly warmUpMs: number
  readonly rounds: number
  /** What one contestant gets in one round for one operation: a part that is not measured, and one that is. */
  readonly leadInMs: number
  readonly sliceMs: number
  /** How often each contestant is started from cold. */
  readonly coldStarts: number
  /** How often pgbench runs each statement, for a second each time. */
  readonly pgbenchRounds: number
}

/** Ten minutes at most on two cores; every part is limited in time, so a slow machine takes no longer. */
export const FULL: Plan = {
  size: 10_000,
  connections: 32,
  warmUpRequests: 30_000,
  warmUpMs: 4_000,
  rounds: 5,
  leadInMs: 100,
  sliceMs: 500,
  coldStarts: 3,
  pgbenchRounds: 3,
}

/** Two minutes, for a first look: code is not warm yet, and rounds are few. */
export const QUICK: Plan = {
  ...FULL,
  warmUpRequests: 5_000,
  warmUpMs: 400,
  rounds: 2,
  leadInMs: 50,
  sliceMs: 200,
  coldStarts: 1,
  pgbenchRounds: 1,
}
