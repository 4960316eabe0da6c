import { inspect } from 'node:util'
import { type Follow, followedHarness } from '../../harness/followed-harness.ts'
import type { PersistenceHarness } from '../../harness/persistence-harness.ts'

/** The calls of an adapter, so that a report can say which one failed, or has not ended. */
export interface FollowedCalls {
  /** The same harness; what it opens is followed. */
  readonly harness: PersistenceHarness
  /** The calls that have not ended. */
  running(): readonly string[]
  /** The call that failed with this error, if it was one of the adapter. */
  failedWith(error: unknown): string | undefined
}

const MAX_LENGTH = 120

interface Call {
  readonly name: string
  readonly args: readonly unknown[]
}

/** Made only of a call that is reported: most are not, and have long names in them. */
function textOf({ name, args }: Call): string {
  const given = args
    .map((arg) => inspect(arg, { breakLength: Number.POSITIVE_INFINITY }))
    .join(', ')
  return `${name}(${given.length > MAX_LENGTH ? `${given.slice(0, MAX_LENGTH)}…` : given})`
}

export function followCalls(harness: PersistenceHarness): FollowedCalls {
  const calls = new Set<Call>()
  const failed = new WeakMap<object, Call>()

  /**
   * Calls, and notes the call until it has ended; a promise is returned as one that does the same.
   */
  const follow: Follow = (name, args, call) => {
    const entry = { name, args }
    calls.add(entry)
    const fail = (error: unknown): never => {
      // The innermost call is the one that failed.
      if (typeof error === 'object' && error !== null && !failed.has(error))
        failed.set(error, entry)
      throw error
    }
    let result: unknown
    try {
      result = call()
    } catch (error) {
      calls.delete(entry)
      return fail(error)
    }
    if (!(result instanceof Promise)) {
      calls.delete(entry)
      return result
    }
    return result.then(
      (value: unknown) => {
        calls.delete(entry)
        return value
      },
      (error: unknown) => {
        calls.delete(entry)
        return fail(error)
      },
    )
  }

  return {
    harness: followedHarness(harness, follow),
    running: () => [...calls].map(textOf),
    failedWith(error) {
      const call = typeof error === 'object' && error !== null ? failed.get(error) : undefined
      return call && textOf(call)
    },
  }
}
