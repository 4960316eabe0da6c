/** So many processes of the service, each with a pool of so many connections. */
export interface LineUp {
  readonly processes: number
  readonly poolSize: number
}

/** How long measuring several processes takes its time. */
export interface ProcessesPlan {
  readonly size: number
  /** Of the client to all processes together; so many that 1, 2, 3 and 4 processes get the same number each. */
  readonly connections: number
  /** Before a process is measured: so many requests of each operation, but no longer than this. */
  readonly warmUp: { readonly maxRequests: number; readonly milliseconds: number }
  readonly rounds: number
  readonly leadInMs: number
  readonly sliceMs: number
  /** Processes first, then pools, each in ascending order. */
  readonly lineUps: readonly LineUp[]
}

const POOL_SIZE = 10

export const FULL_PROCESSES: ProcessesPlan = {
  size: 10_000,
  connections: 48,
  warmUp: { maxRequests: 10_000, milliseconds: 1_200 },
  rounds: 5,
  leadInMs: 50,
  sliceMs: 500,
  lineUps: [
    ...[1, 2, 3, 4].map((processes) => ({ processes, poolSize: POOL_SIZE })),
    ...[4, 20].map((poolSize) => ({ processes: 2, poolSize })),
  ],
}

/** For a first look. */
export const QUICK_PROCESSES: ProcessesPlan = {
  ...FULL_PROCESSES,
  warmUp: { maxRequests: 2_000, milliseconds: 200 },
  rounds: 2,
  sliceMs: 200,
}
