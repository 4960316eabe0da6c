import type { PoolUse } from '@pet-store/persistence'
import type { Pool } from 'pg'

/** Returns what the pool counts itself. */
export function poolUse(name: string, { totalCount, idleCount, waitingCount, options }: Pool): PoolUse {
  return { name, busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount, limit: options.max }
}
