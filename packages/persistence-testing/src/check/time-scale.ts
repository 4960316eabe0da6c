import { TIME_LIMIT_MS } from '../case/contract-case.ts'
import type { CheckOptions } from './check-harness.ts'

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
