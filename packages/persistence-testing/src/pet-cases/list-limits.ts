/** Next to the powers of two, and to the page sizes that the service has. */
export const LIMITS: readonly number[] = [
  ...Array.from({ length: 11 }, (_, power) => 2 ** power).flatMap((limit) => [limit, limit + 1]),
  ...[7, 15, 31, 63, 99, 100, 101, 127, 255, 511, 999, 1000, 1001, 1002, 1003, 2000],
]

/** More than any database has pets. */
export const GREAT_LIMITS: readonly number[] = [
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1],
  Number.MAX_SAFE_INTEGER,
]
