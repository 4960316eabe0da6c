import assert from 'node:assert/strict'
import { inspect, types } from 'node:util'

/**
 * Calls a function, which must return a promise, and must not throw. Another object with `then`, as
 * builders of queries return it, may send its query again whenever somebody waits for it.
 */
export async function expectPromise<Result>(
  name: string,
  call: () => Promise<Result>,
): Promise<Result> {
  let result: Promise<Result>
  try {
    result = call()
  } catch (error) {
    return assert.fail(`${name} must return a promise that rejects, but it threw ${inspect(error)}`)
  }
  if (!types.isPromise(result)) {
    const other = isThenable(result) ? `another object with 'then'` : inspect(result, { depth: 0 })
    assert.fail(`${name} must return a promise, got ${other}`)
  }
  return result
}

export function isThenable(value: unknown): boolean {
  return typeof Object(value).then === 'function'
}
