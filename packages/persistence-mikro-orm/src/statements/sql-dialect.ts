/**
 * What differs between databases in SQL that is otherwise the same. Each adapter hands over its
 * own; nothing here asks which database it is. Texts have the placeholders `$1`, `$2` and so on,
 * in order, each once.
 */
export interface SqlDialect {
  /** Gives a text the placeholders that the driver takes. */
  placeholders(sql: string): string
  /** The type of a column of 64-bit integers. */
  readonly int64: string
  /** An expression: now, by the clock of the database, in milliseconds since 1970. */
  readonly nowMs: string
  /**
   * Pets with a status, by ascending id. Must walk an index from its first match on, whatever the
   * statuses of others. Values: the status, the limit.
   */
  readonly listWithStatus: string
  /** The same behind an id. Values: the status, the id, the limit. */
  readonly listWithStatusAfter: string
  /** Returns a row if the table `migration` exists, which the migrator would create. */
  readonly findMigrationTable: string
}
