import type { Pool } from 'pg'

/** How busy the connections to one server are. */
export interface PoolUse {
  /** `primary`, or `replica-1` and so on, in the order of the settings. */
  readonly name: string
  readonly busy: number
  readonly idle: number
  /** How many statements wait for a connection. */
  readonly waiting: number
  /** The most connections there can be. */
  readonly limit: number
}

/** Reads what the pool counts anyway. */
export function poolUse(name: string, { totalCount, idleCount, waitingCount, options }: Pool): PoolUse {
  return { name, busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: options.max }
}
