import type { Scope } from '@pet-store/access'
import type { PetImport, StoredApiKey, StoredIdempotencyKey } from '@pet-store/persistence'

/**
 * A value of a statement. An integer of 64 bits is a `bigint`; the runner must pass and return
 * every one exactly.
 */
export type SqlValue = string | bigint | number | null
/**
 * The values of a statement in the order of its placeholders, or a row in the order of its columns.
 */
export type SqlValues = readonly SqlValue[]

/** How one field is stored. An absent field is `null` in its column. */
interface FieldCodec<Value> {
  toColumn(value: Value): SqlValue
  fromColumn(column: SqlValue): Value
}

/** How each field of an item is stored. A field that is missing here does not compile. */
export type Codec<Item> = {
  readonly [Field in keyof Item]-?: FieldCodec<Exclude<Item[Field], undefined>>
}

export function asIs<Value extends SqlValue>(): FieldCodec<Value> {
  return { toColumn: (value) => value, fromColumn: (column) => column as Value }
}
export const text: FieldCodec<string> = asIs()
export const integer: FieldCodec<bigint> = asIs()
/** A number that stays far below 2^53. */
const count: FieldCodec<number> = { toColumn: BigInt, fromColumn: Number }
/** Milliseconds since 1970. */
const time: FieldCodec<Date> = {
  toColumn: (value) => BigInt(value.getTime()),
  fromColumn: (column) => new Date(Number(column)),
}
const scopes: FieldCodec<readonly Scope[]> = {
  toColumn: (value) => value.join(' '),
  // The check constraint allows nothing else.
  fromColumn: (column) => String(column).split(' ') as Scope[],
}

export const PET_IMPORT_CODEC: Codec<PetImport> = {
  id: integer,
  sha256: text,
  state: asIs(),
  lines: count,
  changedAt: time,
}

export const IDEMPOTENCY_KEY_CODEC: Codec<StoredIdempotencyKey> = {
  owner: text,
  key: text,
  fingerprint: text,
  petId: integer,
  at: time,
}

export const API_KEY_CODEC: Codec<StoredApiKey> = {
  id: text,
  sha256: text,
  name: text,
  scopes,
  createdAt: time,
  createdBy: text,
  expiresAt: time,
  revokedAt: time,
  revokedBy: text,
  lastUsedAt: time,
  replaces: text,
  overlapUntil: time,
}

export function fieldsOf<Item>(codec: Codec<Item>): readonly (keyof Item & string)[] {
  return Object.keys(codec) as (keyof Item & string)[]
}

/** Returns a function that makes a row of an item: its columns in the order of the codec. */
export function rowEncoder<Item>(codec: Codec<Item>): (item: Item) => SqlValues {
  const fields = fieldsOf(codec)
  return (item) =>
    fields.map((field) => {
      const value = item[field]
      return value === undefined ? null : (codec[field] as FieldCodec<unknown>).toColumn(value)
    })
}

/** Returns a function that does the opposite. What is absent stays absent. */
export function rowDecoder<Item>(codec: Codec<Item>): (row: SqlValues) => Item {
  const fields = fieldsOf(codec)
  return (row) => {
    const item: Partial<Item> = {}
    for (const [index, field] of fields.entries()) {
      const column = row[index] ?? null
      if (column !== null) item[field] = codec[field].fromColumn(column)
    }
    return item as Item
  }
}
