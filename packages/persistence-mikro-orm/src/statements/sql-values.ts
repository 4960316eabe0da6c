/**
 * A value of a statement. An integer of 64 bits is a `bigint`; the runner must pass and return
 * every one exactly.
 */
export type SqlValue = string | bigint | number | null

/**
 * The values of a statement in the order of its placeholders, or a row in the order of its columns.
 */
export type SqlValues = readonly SqlValue[]
