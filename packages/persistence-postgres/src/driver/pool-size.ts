import { DEFAULT_POOL_SIZE, type PostgresOptions } from '../database/settings.ts'

/** The number of connections for reads. More were no faster, and cost the server more. */
const READERS = 2

/** With fewer connections than these, each is worth more to writes, which wait for the disk. */
const MIN_POOL_SIZE_FOR_READERS = 4

/** How the connections are shared out: together they are `total`, which is `poolSize`. */
export interface PoolSizes {
  readonly total: number
  /** Those of the pool, one statement at a time on each. */
  readonly pool: number
  /** Those for pipelined reads; 0 if reads use the pool. */
  readonly readers: number
}

export function poolSizesOf({ poolSize: total = DEFAULT_POOL_SIZE }: PostgresOptions): PoolSizes {
  const hasReaders = total >= MIN_POOL_SIZE_FOR_READERS
  const readers = hasReaders ? READERS : 0
  return { total, pool: total - readers, readers }
}
