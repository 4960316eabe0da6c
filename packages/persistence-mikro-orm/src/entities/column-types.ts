import { BigIntType, Type } from '@mikro-orm/core'
import type { Scope } from '@pet-store/access'

/** A `bigint` in the program, read and written exactly; never a rounded `number`. */
export class Int64Type extends BigIntType<'bigint'> {
  constructor() {
    super('bigint')
  }
}

/** A count, which is a `number` in the program because it stays far below 2^53. */
export class CountType extends Type<number, string> {
  override convertToDatabaseValue = (value: number) => String(value)
  override convertToJSValue = (value: unknown) => Number(value)
}

/** A time, stored as milliseconds since 1970. */
export class TimeType extends Type<Date | null, string | null> {
  override convertToDatabaseValue = (value: Date | null) =>
    value === null ? null : String(value.getTime())

  override convertToJSValue = (value: unknown) => (value === null ? null : new Date(Number(value)))
}

/** The scopes of a key, stored as text that is separated by spaces; empty if there are none. */
export class ScopesType extends Type<readonly Scope[], string> {
  override convertToDatabaseValue = (value: readonly Scope[]) => value.join(' ')
  // A scope that this program does not know is kept, and allows nothing.
  override convertToJSValue = (value: string) =>
    (value === '' ? [] : value.split(' ')) as readonly Scope[]
}

/** The types whose columns are 64-bit integers. Databases have different names for that type. */
export const INT64_TYPES: readonly unknown[] = [Int64Type, CountType, TimeType]
