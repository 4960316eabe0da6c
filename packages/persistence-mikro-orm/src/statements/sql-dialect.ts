/**
 * What differs between databases in SQL that is otherwise the same. Each adapter provides its own;
 * nothing in this package asks which database it is. Statements have the placeholders `$1`, `$2`
 * and so on, in order, each once.
 */
export interface SqlDialect {
  /** Replaces the placeholders of a statement by those of the driver. */
  placeholders(sql: string): string
  /** The name of the column type for 64-bit integers. */
  readonly int64: string
  /** An expression for the time of the database's clock, in milliseconds since 1970. */
  readonly nowMs: string
  /**
   * Lists pets with a status, by ascending id. It must read an index from the first match on, so
   * that pets with another status cost nothing. Values: the status, the limit.
   */
  readonly listWithStatus: string
  /** The same after an id. Values: the status, the id, the limit. */
  readonly listWithStatusAfter: string
  /**
   * The lock of API keys, for changes of many at a time: a statement that reads its one row waits
   * for the end of every other transaction that has read it.
   */
  readonly apiKeyLock: string
  /** Returns a row if the table `migration` exists, which the migrator would create. */
  readonly findMigrationTable: string
}
