/** Powers of two, page sizes of the service, and numbers next to both. */
export const LIMITS: readonly number[] = [
  ...Array.from({ length: 11 }, (_, power) => 2 ** power).flatMap((limit) => [limit, limit + 1]),
  ...[7, 10, 15, 20, 21, 25, 31, 50, 51, 63, 99, 100, 101, 127, 200, 250, 255, 500, 511],
  ...[999, 1000, 1001, 1002, 1003, 2000],
]

/** More pets than any database has. */
export const GREAT_LIMITS: readonly number[] = [
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 1],
  Number.MAX_SAFE_INTEGER,
]
