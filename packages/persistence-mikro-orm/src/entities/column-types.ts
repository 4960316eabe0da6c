import { BigIntType, Type } from '@mikro-orm/core'
import type { Scope } from '@pet-store/access'

/** `bigint` in the program, exact in both directions, never a rounded `number`. */
export class Int64Type extends BigIntType<'bigint'> {
  constructor() {
    super('bigint')
  }
}

/** A number that stays far below 2^53. */
export class CountType extends Type<number, string> {
  override convertToDatabaseValue = (value: number) => String(value)
  override convertToJSValue = (value: unknown) => Number(value)
}

/** Milliseconds since 1970. */
export class TimeType extends Type<Date | null, string | null> {
  override convertToDatabaseValue = (value: Date | null) =>
    value === null ? null : String(value.getTime())

  override convertToJSValue = (value: unknown) => (value === null ? null : new Date(Number(value)))
}

/** Separated by spaces; none is empty text. */
export class ScopesType extends Type<readonly Scope[], string> {
  override convertToDatabaseValue = (value: readonly Scope[]) => value.join(' ')
  // A scope that this program does not know allows nothing.
  override convertToJSValue = (value: string) =>
    (value === '' ? [] : value.split(' ')) as readonly Scope[]
}

/** The types whose columns are 64-bit integers, which each database calls by a name of its own. */
export const INT64_TYPES: readonly unknown[] = [Int64Type, CountType, TimeType]
