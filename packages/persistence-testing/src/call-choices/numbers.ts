import { INT64 } from '@pet-store/domain'
import fc from 'fast-check'

/** Often one at a limit. */
export const int64: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(1n, 0n, -1n, 2n ** 53n + 1n, INT64.min, INT64.max),
  fc.bigInt({ min: INT64.min, max: INT64.max }),
)
