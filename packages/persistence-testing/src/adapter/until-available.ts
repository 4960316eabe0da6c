import assert, { AssertionError } from 'node:assert/strict'
import { wait } from '../case/wait.ts'

const RETRY_MS = 100
const AVAILABLE_WITHIN_MS = 20_000
/** However long each call takes. */
const MOST_MS = 40_000

/**
 * Repeats a call that rejects because its database has not recovered yet. An expectation that was
 * not met is not tried again.
 */
export async function untilAvailable<Result>(
  call: (attempt: number) => Promise<Result>,
): Promise<Result> {
  const start = performance.now()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(attempt)
    } catch (error) {
      const isLast =
        attempt * RETRY_MS >= AVAILABLE_WITHIN_MS || performance.now() - start > MOST_MS
      if (error instanceof AssertionError || isLast) throw error
      await wait(RETRY_MS)
    }
  }
}

/**
 * The same of an adapter that nothing hinders any more: if each call is rejected for so long, that
 * is a fault, on a busy machine too. `subject` says what is called.
 */
export async function expectAvailable<Result>(
  subject: string,
  call: (attempt: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await untilAvailable(call)
  } catch (error) {
    if (error instanceof AssertionError) throw error
    assert.fail(`${subject} must work again, but has rejected: ${String(error)}`)
  }
}
