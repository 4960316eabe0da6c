import { DEFAULT_POOL_SIZE, type PostgresOptions } from '../database/settings.ts'

/** The number of connections for reads. More are not faster, and cost the server more. */
const READERS = 2

/** With fewer connections, all are in the pool: writes, which wait for the disk, need them more. */
const MIN_POOL_SIZE_FOR_READERS = 4

/** How connections are divided between the pool and pipelined reads. */
export interface PoolSizes {
  /** The number of all connections: `poolSize`. */
  readonly total: number
  /** The number of those in the pool, each of which runs one statement at a time. */
  readonly pool: number
  /** The number of those for pipelined reads; 0 if reads use the pool. */
  readonly readers: number
}

export function poolSizesOf({ poolSize: total = DEFAULT_POOL_SIZE }: PostgresOptions): PoolSizes {
  const hasReaders = total >= MIN_POOL_SIZE_FOR_READERS
  const readers = hasReaders ? READERS : 0
  return { total, pool: total - readers, readers }
}
