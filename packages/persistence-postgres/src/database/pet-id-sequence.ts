import { persistenceUnavailable } from '@pet-store/domain'
import type { Pool } from 'pg'
import { withRetries } from './retries.ts'

/** The sequence that assigns the ids of pets, for statements. */
export const PET_IDS = "pg_get_serial_sequence('pet', 'id')::regclass"

/** Its last id that was assigned; null if none was. */
export const LAST_PET_ID: string = `select pg_sequence_last_value(${PET_IDS}) as id`

/** Returns the last id that was assigned; 0 if none was. */
export async function lastPetIdOf(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ id: string | null }>(LAST_PET_ID)
  return BigInt(rows[0]?.id ?? 0)
}

const SEQUENCE = `select pg_get_serial_sequence('pet', 'id') as name, seqstart as start,
  seqincrement as increment, seqmin as min, seqmax as max, seqcycle as "isCycle",
  pg_sequence_last_value(seqrelid) as last,
  has_sequence_privilege(seqrelid, 'select') as "isReadable"
  from pg_sequence where seqrelid = ${PET_IDS}`

export interface Sequence {
  /** As SQL. */
  readonly name: string
  readonly start: string
  readonly increment: string
  readonly min: string
  readonly max: string
  /** Whether it begins again after the last id. */
  readonly isCycle: boolean
  /** The last id that was assigned; null if none was. */
  readonly last: string | null
  readonly isReadable: boolean
}

/** Returns the sequence as the catalogs describe it. */
export async function readSequence(pool: Pool): Promise<Sequence> {
  const { rows } = await withRetries(() => pool.query<Sequence>(SEQUENCE))
  if (rows[0] === undefined)
    throw persistenceUnavailable({
      message: 'The column id of the table pet has no sequence: alter sequence … owned by pet.id.',
    })
  return rows[0]
}

/**
 * Returns the next id of a sequence that nobody has moved, as nearly all are. Several primaries
 * that replicate each other have increments.
 */
export function nextIdOf({ start, increment, last }: Sequence): bigint {
  return last === null ? BigInt(start) : BigInt(last) + BigInt(increment)
}

/** Whether the sequence is not exhausted before it assigns this id. */
export function hasId({ min, max, isCycle }: Sequence, id: bigint): boolean {
  return isCycle || (id >= BigInt(min) && id <= BigInt(max))
}

/**
 * Returns the next id that will be assigned, of any sequence. After `alter sequence … restart`, or
 * `setval` with `false`, a sequence has a value that was not assigned yet, which only those who may
 * read the sequence can see.
 */
export async function exactNextIdOf(pool: Pool, sequence: Sequence): Promise<bigint> {
  const { name, increment, last, isReadable } = sequence
  const id = nextIdOf(sequence)
  if (last !== null || !isReadable) return id
  const { rows } = await withRetries(() =>
    pool.query<Value>(`select last_value as value, is_called as "isCalled" from ${name}`),
  )
  const { value = id, isCalled = false } = rows[0] ?? {}
  return BigInt(value) + (isCalled ? BigInt(increment) : 0n)
}

interface Value {
  readonly value: string
  readonly isCalled: boolean
}

/** Finds the sequence if it does not assign each id after all lower ones. */
const UNORDERED_SEQUENCE = `select 1 from pg_sequence
  where seqrelid = ${PET_IDS}
  and (seqcache <> 1 or seqincrement <> 1)`

/**
 * Whether each id is assigned after all lower ones. If the sequence has a cache, each connection
 * assigns ids of its own. If it has an increment, other primaries assign the ids between.
 */
export async function assignsInOrder(pool: Pool): Promise<boolean> {
  return (await pool.query(UNORDERED_SEQUENCE)).rowCount === 0
}
