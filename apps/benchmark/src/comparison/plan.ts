/** How much time a comparison takes. */
export interface Plan {
  /** Pets in each database to begin with. */
  readonly size: number
  readonly connections: number
  /** Before an operation is measured: at most this many requests, and at most this long. */
  readonly warmUp: { readonly maxRequests: number; readonly durationMs: number }
  /** The baseline and the first contestant after it take part in each round, the others in one of `everyRounds`. */
  readonly rounds: number
  readonly everyRounds: number
  /** What one contestant gets in a round for one operation. */
  readonly sliceMs: number
  /** Processes of the first two: what V8 compiles differs a little from one to the next. */
  readonly instances: number
  /** Slices of an open loop for each rate, and their length. */
  readonly latency: { readonly rounds: number; readonly sliceMs: number }
}

/** Twelve minutes for both databases on two cores. */
export const FULL: Plan = {
  size: 10_000,
  connections: 32,
  warmUp: { maxRequests: 30_000, durationMs: 3_500 },
  rounds: 80,
  everyRounds: 6,
  sliceMs: 50,
  instances: 2,
  latency: { rounds: 14, sliceMs: 500 },
}

/** Three minutes, for a first look: wider intervals. */
export const QUICK: Plan = {
  ...FULL,
  warmUp: { maxRequests: 10_000, durationMs: 1_000 },
  rounds: 30,
  instances: 1,
  latency: { rounds: 2, sliceMs: 500 },
}

/** One client, all sizes in each round. */
export const GROWTH: Plan = {
  ...QUICK,
  connections: 1,
  rounds: 10,
  everyRounds: 1,
  sliceMs: 100,
  latency: { rounds: 0, sliceMs: 0 },
}

/** So many connections that 1, 2 and 4 processes get the same number each. */
export const PROCESSES: Plan = { ...GROWTH, connections: 48, rounds: 12, sliceMs: 150 }
