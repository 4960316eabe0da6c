import { CREATE, GET, LIST, MIXED, OPERATIONS, type Operation } from '../requests/operations.ts'
import { type Contestant, DATABASES, type Database, SERVICE } from '../servers/contestants.ts'

/**
 * What is measured on one database. The first contestant is the one that the others are compared
 * with.
 */
export interface Selection {
  readonly database: Database
  readonly operations: readonly Operation[]
  readonly contestants: readonly Contestant[]
  readonly plan: Plan
}

/** How much time a comparison takes. */
export interface Plan {
  /** Pets in each database to begin with. */
  readonly size: number
  readonly connections: number
  /** How long each operation runs before it is measured. */
  readonly warmUpMs: number
  readonly rounds: number
  /** What one contestant gets in a round for one operation. */
  readonly sliceMs: number
  /** Slices of an open loop, and their length. */
  readonly latency: { readonly rounds: number; readonly sliceMs: number }
}

const COMMON = { size: 10_000, connections: 32, sliceMs: 50 }

/** Twelve minutes for both databases on two cores. */
export const FULL: Plan = {
  ...COMMON,
  rounds: 40,
  warmUpMs: 2_500,
  latency: { rounds: 50, sliceMs: 500 },
}
/** Three minutes, for a first look: wider intervals. */
export const QUICK: Plan = {
  ...COMMON,
  rounds: 12,
  warmUpMs: 1_000,
  latency: { rounds: 6, sliceMs: 500 },
}
/** One client, all sizes in each round. */
const GROWTH: Plan = { ...QUICK, connections: 1, rounds: 10, sliceMs: 100 }
/** Enough connections that the kernel gives each process some. */
const PROCESSES: Plan = { ...GROWTH, connections: 48, rounds: 12, sliceMs: 150 }

/** The service beside itself, with more and more pets in its database. */
export function growthSelections(sizes: readonly number[]): Selection[] {
  const contestants = sizes.map((size) => ({ ...SERVICE, name: size.toLocaleString('en'), size }))
  const operations = OPERATIONS.filter((one) => one !== MIXED)
  return DATABASES.map((database) => ({ database, operations, contestants, plan: GROWTH }))
}

/** The service beside itself, as one and as several processes on one port. */
export function processesSelection(counts: readonly number[]): Selection {
  const contestants = counts.map((processes) => ({
    ...SERVICE,
    name: `processes: ${processes}`,
    settings: { REUSE_PORT: 'true' },
    processes,
  }))
  return { database: 'postgres', operations: [LIST, GET, CREATE], contestants, plan: PROCESSES }
}
