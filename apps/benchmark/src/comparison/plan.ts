/** How much time a comparison takes. */
export interface Plan {
  /** Pets in each database to begin with. */
  readonly size: number
  readonly connections: number
  /** Before an operation is measured: at most this many requests, and at most this long. */
  readonly warmUpRequests: number
  readonly warmUpMs: number
  /** Our service and the baseline take part in each round, the others in one of `everyRounds`. */
  readonly rounds: number
  readonly everyRounds: number
  /** What one contestant gets in a round for one operation: a part that is not measured, and one that is. */
  readonly leadInMs: number
  readonly sliceMs: number
  /** Processes of our service and of the baseline: what V8 compiles differs a little from one to the next. */
  readonly instances: number
  /** How often pgbench runs each statement, for a second each time. */
  readonly pgbenchRounds: number
}

/** Eight minutes for both databases on two cores. */
export const FULL: Plan = {
  size: 10_000,
  connections: 32,
  warmUpRequests: 30_000,
  warmUpMs: 3_500,
  rounds: 10,
  everyRounds: 4,
  leadInMs: 30,
  sliceMs: 400,
  instances: 2,
  pgbenchRounds: 2,
}

/** Three minutes, for a first look: intervals are wider. */
export const QUICK: Plan = {
  ...FULL,
  warmUpRequests: 10_000,
  warmUpMs: 1_000,
  rounds: 6,
  everyRounds: 3,
  leadInMs: 20,
  sliceMs: 200,
  instances: 1,
  pgbenchRounds: 1,
}
