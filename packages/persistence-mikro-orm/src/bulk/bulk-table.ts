import type { EntityMetadata } from '@mikro-orm/core'
import type { Scope } from '@pet-store/access'
import type { SqlValue } from '../statements/statement-runner.ts'
import { columnsOf, type TableColumns } from '../statements/table-columns.ts'

/** How one field is stored. An absent field is `null` in its column. */
interface Codec<Value> {
  toColumn(value: Value): SqlValue
  fromColumn(column: never): Value
}

/** How each field of an item is stored. A field that is missing here does not compile. */
export type Codecs<Item> = { readonly [Field in keyof Item]-?: Codec<Exclude<Item[Field], undefined>> }

/** A table whose rows are items of the domain. */
export interface BulkTable<Item> extends TableColumns {
  readonly fields: readonly (keyof Item & string)[]
  toRow(item: Item): readonly SqlValue[]
  fromRow(row: readonly SqlValue[]): Item
  fromRecord(record: object): Item
}

/** The table of an entity whose properties have the names of the fields. With `replaces` a row replaces that with its primary key. */
export function bulkTable<Item extends object>(
  metadata: EntityMetadata,
  codecs: Codecs<Item>,
  { replaces = false } = {},
): BulkTable<Item> {
  const fields = Object.keys(codecs) as (keyof Item & string)[]
  const all = fields.map((field) => ({ field, codec: codecs[field] as Codec<unknown> }))
  return {
    ...columnsOf(metadata, fields),
    ...(replaces && { onConflict: replacing(metadata, fields) }),
    fields,
    toRow: (item) => all.map(({ field, codec }) => (item[field] === undefined ? null : codec.toColumn(item[field]))),
    fromRow: (row) => fromColumns((_, place) => row[place]),
    fromRecord: (record) => fromColumns((field) => Reflect.get(record, field)),
  }

  function fromColumns(columnOf: (field: keyof Item & string, place: number) => unknown): Item {
    const entries = all.flatMap(({ field, codec }, place) => {
      const column = columnOf(field, place) ?? null
      return column === null ? [] : [[field, codec.fromColumn(column as never)] as const]
    })
    return Object.fromEntries(entries) as Item
  }
}

function replacing(metadata: EntityMetadata, fields: readonly string[]): string {
  const keys: readonly string[] = metadata.primaryKeys
  const namesOf = (of: readonly string[]) => columnsOf(metadata, of).columns.map(({ name }) => name)
  const others = namesOf(fields.filter((field) => !keys.includes(field)))
  return `on conflict (${namesOf(keys).join(', ')}) do update set ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`
}

/** Stored as it is: texts, and integers of 64 bits. */
export const plain = { toColumn: (value: SqlValue) => value, fromColumn: (column: never) => column }

/** Milliseconds since 1970. */
export const time: Codec<Date> = {
  toColumn: (value) => BigInt(value.getTime()),
  fromColumn: (column: bigint) => new Date(Number(column)),
}

/** A number that stays far below 2^53. */
export const count: Codec<number> = { toColumn: BigInt, fromColumn: (column: bigint) => Number(column) }

export const scopeList: Codec<readonly Scope[]> = {
  toColumn: (value) => value.join(' '),
  // The check constraint allows nothing else.
  fromColumn: (column: string) => column.split(' ') as Scope[],
}
