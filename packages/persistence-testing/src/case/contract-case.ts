import { AssertionError } from 'node:assert/strict'
import { statedBy } from './stated-by.ts'
import { endCaseWithin } from './time-limit.ts'

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

/** The time limit of a case whose group has none of its own. */
export const TIME_LIMIT_MS = 20_000

/**
 * Makes the cases of a group of what is written as `id: guarantee`, with the function that shows
 * it. The function gets the factor by which its time limit is longer than usual. The name of the
 * group comes before each id.
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
    const id = `${group}.${text.slice(0, end)}`
    return {
      id,
      name: text.slice(end + 2),
      timeLimitMs,
      run: (port, limitMs = timeLimitMs) =>
        endCaseWithin(limitMs, () =>
          show(port, limitMs / timeLimitMs).catch((error: unknown) => {
            nameStatement(error, id)
            throw error
          }),
        ),
    }
  })
}

/** Adds to the message of an expectation that was not met where it is stated. */
function nameStatement(error: unknown, id: string): void {
  if (!(error instanceof AssertionError)) return
  const { declaration, packageName } = statedBy(id)
  error.message += `\nThe comment of ${declaration} in ${packageName} states what is expected.`
}
