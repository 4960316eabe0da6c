import { BigIntType, type EntityProperty, type Platform } from '@mikro-orm/core'
import { SqlitePlatform } from '@mikro-orm/sql'

/** A column of 64-bit integers, exact in both directions: `bigint` in the program, never a rounded `number`. */
export class Int64Type extends BigIntType<'bigint'> {
  constructor() {
    super('bigint')
  }

  override getColumnType(prop: EntityProperty, platform: Platform): string {
    // SQLite's `integer` has 64 bits already, is the only type that AUTOINCREMENT takes, and its strict tables
    // know no `bigint`. With any other name the schema check would always report a difference.
    return platform instanceof SqlitePlatform ? 'integer' : super.getColumnType(prop, platform)
  }
}
