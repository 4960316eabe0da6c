import { createHash } from 'node:crypto'
import type { Pet } from '@pet-store/domain'
import type { BulkAccess, StoredApiKey } from '@pet-store/persistence'
import type { Meter } from './data/progress.ts'

/** Pets as one number. */
export interface PetDigest {
  readonly count: number
  /** Left out where there are none. */
  readonly lastId?: bigint
  readonly sha256: string
}

/** SHA-256 over every pet by ascending id, up to this one if it is given. */
export async function digestPets(
  from: Pick<BulkAccess, 'readPets'>,
  batch: number,
  meter: Meter,
  upTo?: bigint,
): Promise<PetDigest> {
  const hash = createHash('sha256')
  let lastId = -(2n ** 63n)
  let count = 0
  for (;;) {
    const read = await from.readPets({ after: lastId, limit: batch })
    const rows = upTo === undefined ? read : read.filter(({ id }) => id <= upTo)
    const last = rows.at(-1)
    if (last === undefined) return { count, ...(count > 0 && { lastId }), sha256: hash.digest('hex') }
    hash.update(rows.map((row) => lineOf(row)).join(''))
    lastId = last.id
    count += rows.length
    meter.advance(rows.length)
  }
}

function lineOf({ id, categoryId, status, name }: Pet): string {
  return `${id} ${categoryId} ${status ?? null} ${JSON.stringify(name)}\n`
}

/** SHA-256 over API keys in whatever order, without their last use, which changes with every minute. */
export function digestApiKeys(keys: readonly StoredApiKey[]): string {
  const lines = keys.map(({ lastUsedAt: _, ...key }) => JSON.stringify(Object.entries(key).sort(byName)))
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}
