import assert from 'node:assert/strict'
import { inspect, isDeepStrictEqual, types } from 'node:util'

/**
 * Compares deeply and strictly. The message of the error says what was expected, then shows the
 * difference. Data are compared, not their prototypes: drivers return rows without one, entities of
 * a class, lists of a subclass, and test runners have realms of their own.
 */
export function expectEqual(actual: unknown, expected: unknown, expectation: string): void {
  if (isEqual(actual, expected)) return
  const given = plainDataOf(actual)
  const wanted = plainDataOf(expected)
  if (!Array.isArray(given) || !Array.isArray(wanted)) fail(given, wanted, expectation)
  if (Math.max(given.length, wanted.length) <= SHOWN) fail(given, wanted, expectation)
  // The difference of two long lists takes minutes to compute, and nobody reads it.
  const index = wanted.findIndex((item, at) => !isDeepStrictEqual(given[at], item))
  const start = index === -1 ? wanted.length : index
  const excerpts = [given, wanted].map((list) => list.slice(start, start + SHOWN))
  const counts = `got ${given.length} items, expected ${wanted.length}; they differ from ${start}`
  fail(excerpts[0], excerpts[1], `${expectation}: ${counts}`)
}

/** The same comparison. */
export function isEqual(actual: unknown, expected: unknown): boolean {
  // Most adapters return plain data.
  if (isDeepStrictEqual(actual, expected)) return true
  // What is expected is often what the adapter has returned before.
  return isDeepStrictEqual(plainDataOf(actual), plainDataOf(expected))
}

const SHOWN = 20

let showsDifference = true

/**
 * Runs work whose expectations say nothing of how a value differs. To find that out takes longer
 * than all else, and nobody reads it where one of several expectations has to be met.
 */
export function withoutDifferences<Result>(work: () => Result): Result {
  showsDifference = false
  try {
    return work()
  } finally {
    showsDifference = true
  }
}

function fail(actual: unknown, expected: unknown, expectation: string): never {
  if (!showsDifference) throw new assert.AssertionError({ message: expectation })
  try {
    assert.deepEqual(actual, expected)
  } catch (error) {
    if (error instanceof assert.AssertionError) error.message = `${expectation}\n${error.message}`
    throw error
  }
  return assert.fail(expectation)
}

function plainDataOf(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, plainDataOf)
  if (types.isDate(value)) return new Date(value.getTime())
  // Sets, maps and errors have more than their fields.
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  return Object.fromEntries(
    Object.entries(value as object).map(([name, field]) => [name, plainDataOf(field)]),
  )
}

/** Expects a call to reject with an error that has these properties, or with any error. */
export async function expectRejection(
  call: () => Promise<unknown>,
  expectation: string,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const reason: unknown = await call().then(
    () => assert.fail(`${expectation}, but it resolved`),
    (rejection: unknown) => rejection,
  )
  // A call that took too long.
  if (reason instanceof assert.AssertionError) throw reason
  // One of another realm, as runners have them, is no instance of this `Error`.
  if (!(types.isNativeError(reason) || reason instanceof Error))
    assert.fail(`${expectation} with an error; it was rejected with: ${inspect(reason)}`)
  const actual = Object.fromEntries(
    Object.keys(properties).map((key) => [key, Reflect.get(reason, key)]),
  )
  const { message = inspect(reason) } = reason as Partial<Error>
  causedBy(reason, () =>
    expectEqual(actual, properties, `${expectation}; it was rejected with: ${message}`),
  )
}

/** The same of a call that no database can do: it must not reject as if it were unavailable. */
export async function expectImpossible(
  call: () => Promise<unknown>,
  expectation: string,
): Promise<void> {
  let rejection: unknown
  const noteRejection = async () =>
    call().catch((error: unknown) => {
      rejection = error
      throw error
    })
  await expectRejection(noteRejection, expectation)
  const { code } = rejection as { readonly code?: unknown }
  const message = `${expectation}, not as if it were unavailable`
  causedBy(rejection, () => assert.notEqual(code, 'persistence_unavailable', message))
}

/** Makes a rejection of the adapter the cause of an expectation that is not met because of it. */
export function causedBy(rejection: unknown, expect: () => void): void {
  try {
    expect()
  } catch (error) {
    throw Object.assign(error as Error, { cause: rejection })
  }
}
