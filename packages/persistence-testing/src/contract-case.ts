import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

/** One guarantee of a port as a function that checks it. Independent of any test runner. */
export interface ContractCase<Port> {
  /**
   * Identifies the case; it never changes, and is never used for another guarantee. The fault that
   * shows that the case can fail names it too.
   */
  readonly id: string
  /** The guarantee, as a sentence without a subject: the subject is the adapter. */
  readonly name: string
  /** After this time `run` rejects by itself. */
  readonly timeLimitMs: number
  /**
   * Runs on a fresh, empty database. Rejects when the guarantee is broken, or after `timeLimitMs`;
   * an adapter that is slow to reach may be given another limit.
   */
  readonly run: (port: Port, timeLimitMs?: number) => Promise<void>
}

/** Of a case whose group names none. */
export const TIME_LIMIT_MS = 20_000

/**
 * Cases as they are written down: `id: guarantee`, and what shows it. That gets the factor by which
 * the time limit is longer than usual. Adds the time limit, and the name of the group to the ids.
 */
export function casesOf<Port>(
  groupOrLimit: string | { readonly group: string; readonly timeLimitMs: number },
  cases: Readonly<Record<`${string}: ${string}`, (port: Port, scale: number) => Promise<void>>>,
): readonly ContractCase<Port>[] {
  const { group, timeLimitMs } =
    typeof groupOrLimit === 'string'
      ? { group: groupOrLimit, timeLimitMs: TIME_LIMIT_MS }
      : groupOrLimit
  return Object.entries(cases).map(([text, show]) => {
    const end = text.indexOf(': ')
    return {
      id: `${group}.${text.slice(0, end)}`,
      name: text.slice(end + 2),
      timeLimitMs,
      run: (port, limitMs = timeLimitMs) =>
        endWithin(limitMs, () => show(port, limitMs / timeLimitMs)),
    }
  })
}

/** Why a guarantee could not be shown: the adapter or its harness lacks what the case needs. */
export class NotTested extends Error {}

export function assertTested(condition: unknown, reasonNotTested: string): asserts condition {
  if (!condition) throw new NotTested(reasonNotTested)
}

/** The processor is missed for less than this where a machine is not busy. */
const TICK_MS = 50

/**
 * Rejects when the work takes longer, by a clock that loses time while this process gets no
 * processor: a busy machine breaks no guarantee. Work that never ends is abandoned.
 */
export async function endWithin<Result>(
  limitMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const message = `The case did not end within ${Math.round(limitMs)} ms.`
  const limit = new Promise<never>((_, reject) => {
    const error = new assert.AssertionError({ message })
    const wait = (leftMs: number) => {
      if (leftMs <= 0) reject(error)
      else timer = setTimeout(wait, Math.min(leftMs, TICK_MS), leftMs - TICK_MS)
    }
    wait(limitMs)
  })
  try {
    return await Promise.race([work(), limit])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Compares deeply and strictly. The message of the error says what was expected, then shows the
 * difference. Objects without a prototype, as some drivers return rows, are plain data too.
 */
export function expectEqual(actual: unknown, expected: unknown, expectation: string): void {
  const given = withPrototypes(actual)
  // Often what the adapter has returned before.
  const wanted = withPrototypes(expected)
  if (isDeepStrictEqual(given, wanted)) return
  if (!Array.isArray(given) || !Array.isArray(wanted)) fail(given, wanted, expectation)
  if (Math.max(given.length, wanted.length) <= SHOWN) fail(given, wanted, expectation)
  // The difference of two long lists takes minutes to compute, and nobody reads it.
  const index = wanted.findIndex((item, at) => !isDeepStrictEqual(given[at], item))
  const start = index === -1 ? wanted.length : index
  const excerpts = [given, wanted].map((list) => list.slice(start, start + SHOWN))
  const counts = `got ${given.length} items, expected ${wanted.length}; they differ from ${start}`
  fail(excerpts[0], excerpts[1], `${expectation}: ${counts}`)
}

const SHOWN = 20

function fail(actual: unknown, expected: unknown, expectation: string): never {
  try {
    assert.deepEqual(actual, expected)
  } catch (error) {
    if (error instanceof assert.AssertionError) error.message = `${expectation}\n${error.message}`
    throw error
  }
  return assert.fail(expectation)
}

function withPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPrototypes)
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withPrototypes(field)]),
  )
}

/** Does what a careless caller in JavaScript may do; what is frozen, and throws, is detached too. */
export function tryToChange(change: () => void): void {
  try {
    change()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

/** Expects a call to reject with an error that has these properties, or with any error. */
export async function expectRejection(
  call: () => Promise<unknown>,
  expectation: string,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const error = await call().then(
    () => assert.fail(`${expectation}, but it resolved`),
    (reason: unknown) => reason as Error & Readonly<Record<string, unknown>>,
  )
  // A call that took too long.
  if (error instanceof assert.AssertionError) throw error
  const actual = Object.fromEntries(Object.keys(properties).map((key) => [key, error[key]]))
  expectEqual(actual, properties, `${expectation}; it was rejected with: ${error.message}`)
}

/** The same of a call that an available database cannot do: it must not say that it has gone. */
export async function expectImpossible(
  call: () => Promise<unknown>,
  expectation: string,
): Promise<void> {
  let code: unknown
  const noteCode = async () =>
    call().catch((error: unknown) => {
      code = (error as { readonly code?: unknown }).code
      throw error
    })
  await expectRejection(noteCode, expectation)
  assert.notEqual(code, 'persistence_unavailable', `${expectation}, not as if it were unavailable`)
}

const GROUP_SIZE = 20

/**
 * Calls for 0, 1 and so on, twenty at a time unless told otherwise: an adapter may limit how long a
 * call waits for one of its connections.
 */
export async function inGroups<Result>(
  count: number,
  call: (index: number) => Promise<Result>,
  groupSize: number = GROUP_SIZE,
): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count) {
    const start = results.length
    const length = Math.min(groupSize, count - start)
    results.push(...(await Promise.all(Array.from({ length }, (_, index) => call(start + index)))))
  }
  return results
}
