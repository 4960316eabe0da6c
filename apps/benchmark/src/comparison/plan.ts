/** How much time a comparison takes. */
export interface Plan {
  /** Pets in each database to begin with. */
  readonly size: number
  readonly connections: number
  /** Before an operation is measured: at most this many requests, and at most this long. */
  readonly warmUpRequests: number
  readonly warmUpMs: number
  /** Runs, each with servers and databases of its own. The first is for all contestants. */
  readonly runs: number
  /** Our service and the baseline take part in each round, the others in one of `everyRounds`. */
  readonly rounds: number
  readonly everyRounds: number
  /** What one contestant gets in a round for one operation. */
  readonly sliceMs: number
  /** Processes of our service and of the baseline: what V8 compiles differs a little from one to the next. */
  readonly instances: number
  /** Slices of an open loop for each rate, and their length; none leaves the curve of the latency out. */
  readonly curveRounds: number
  readonly curveSliceMs: number
}

/** Twelve minutes for both databases on two cores. */
export const FULL: Plan = {
  size: 10_000,
  connections: 32,
  warmUpRequests: 30_000,
  warmUpMs: 3_500,
  runs: 2,
  rounds: 64,
  everyRounds: 8,
  sliceMs: 50,
  instances: 2,
  curveRounds: 3,
  curveSliceMs: 500,
}

/** Three minutes, for a first look: one run, and wider intervals. */
export const QUICK: Plan = {
  ...FULL,
  warmUpRequests: 10_000,
  warmUpMs: 1_000,
  runs: 1,
  rounds: 40,
  instances: 1,
  curveRounds: 0,
}
