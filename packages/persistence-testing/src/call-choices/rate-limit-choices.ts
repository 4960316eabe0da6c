import type { Allowance } from '@pet-store/access'
import fc from 'fast-check'
import { expectEqual } from '../case/expectations.ts'
import type { Model } from '../model/model.ts'
import { type Choice, type Choices, callText, NO_CALL, resultOf } from '../model/model-call.ts'
import { ALLOWED_REQUESTS } from '../model/open-database.ts'
import { LONG_MS } from '../rate-limiter-cases/long-window.ts'
import { openingOf, openings } from './openings.ts'
import { similarTexts } from './texts.ts'

/** Lengths that are the same if they are rounded, or joined with a key, and one that ends soon. */
const LONG_WINDOWS = [LONG_MS, LONG_MS + 1, 10 * LONG_MS, 24 * LONG_MS]
const SHORT_MS = 100
const windows = fc.constantFrom(...LONG_WINDOWS, SHORT_MS)

const keyIds = fc.oneof(
  { weight: 3, arbitrary: similarTexts },
  // Two that use up their limits.
  { weight: 2, arbitrary: fc.constantFrom('a', 'A') },
  { weight: 1, arbitrary: fc.nat({ max: 1_000 }).map(String) },
)

/** A request that is counted by an opening. */
export const takeCall =
  (number: number, windowMs: number, keyId: string): Choice =>
  (_, database) => {
    const opening = openingOf(database, number)
    const text = callText(`limiter${opening} of ${windowMs} ms: take`, keyId)
    return {
      text,
      run: async () => database.limiter(opening, windowMs).take(keyId),
      apply(model, outcome) {
        expectAllowance(model, windowMs, keyId, resultOf(outcome, text) as Allowance, text)
      },
    }
  }

/** Requests that are counted. */
export const rateLimitChoices: Choices = fc
  .tuple(openings, windows, keyIds)
  .map(([number, windowMs, keyId]) => takeCall(number, windowMs, keyId))

/** Requests that show what was counted of those keys that have the most. */
export const lastLimitChoices: readonly Choice[] = LONG_WINDOWS.flatMap((windowMs) =>
  ['a', 'A', 'b', 'a '].map((keyId) => takeCall(0, windowMs, keyId)),
)

/** A request where counts are kept: an adapter of one process may have them in its memory. */
export const ifKept =
  (request: Choice): Choice =>
  (model, database) => {
    const { openings: opened } = database
    const areKept = opened.length > 1 && opened.every((one) => one.createRateLimiter !== undefined)
    return areKept ? request(model, database) : NO_CALL
  }

function expectAllowance(
  model: Model,
  windowMs: number,
  keyId: string,
  allowance: Allowance,
  text: string,
): void {
  const { resetMs } = allowance
  // 0 if the window ends while the request is counted.
  expectEqual(
    resetMs >= 0 && resetMs <= windowMs,
    true,
    `whether resetMs of ${text}, ${resetMs}, is within the window`,
  )
  // Nobody knows how many windows have ended.
  if (windowMs === SHORT_MS) return
  const name = JSON.stringify([windowMs, keyId])
  const count = (model.requests.get(name) ?? 0) + 1
  model.requests.set(name, count)
  const isAllowed = count <= ALLOWED_REQUESTS
  const remaining = Math.max(0, ALLOWED_REQUESTS - count)
  expectEqual(allowance, { isAllowed, remaining, resetMs }, `the result of ${text}`)
}
