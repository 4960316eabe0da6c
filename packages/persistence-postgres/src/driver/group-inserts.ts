import { type Cancellation, persistenceUnavailable } from '@pet-store/domain'
import type { SqlValue } from '@pet-store/persistence-mikro-orm'
import { isInvalidValue } from '../unavailable.ts'
import {
  bytesOf,
  type LateValues,
  WAITING_LIMITS,
  type WaitingLimits,
  WaitingStatements,
  waitedTooLong,
  whyDropped,
} from './waiting-statements.ts'

/** The number of rows of a group. */
const MAX_ROWS = 500

/** Inserts that are put together. */
export interface GroupedInserts<Values, Row> {
  /** Resolves after the commit. An insert with invalid values fails alone. */
  readonly add: (values: Values, cancellation?: Cancellation) => Promise<Row>
  /** Resolves when all inserts have settled. */
  readonly finish: () => Promise<void>
}

interface WaitingInsert<Values, Row> {
  readonly values: Values
  readonly bytes: number
  readonly deadline: number
  readonly cancellation: Cancellation | undefined
  readonly resolve: (row: Row | Promise<Row>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Puts the inserts of one turn of the event loop into one statement: one round trip and one wait for the disk serve all
 * of them. `many` takes a list of values for each column and returns a row for each insert, in their order, or changes
 * nothing. If the server rejects one of the values, each insert runs `alone`, so that an invalid one fails alone; after
 * any other error nobody knows what is stored, so nothing is repeated and all of them are rejected with it.
 *
 * Both ask for the values when they have a connection. Until then inserts wait here, so that the wait for a connection is
 * within their deadline.
 */
export function groupInserts<Values extends readonly SqlValue[], Row>(
  alone: (values: LateValues) => Promise<Row>,
  many: (columns: LateValues) => Promise<readonly Row[]>,
  limits: WaitingLimits = WAITING_LIMITS,
): GroupedInserts<Values, Row> {
  const queue: WaitingInsert<Values, Row>[] = []
  const waiting = new WaitingStatements(limits)
  /** One at a time: inserts that arrive meanwhile are the next one. Two would be smaller, and cost both sides more. */
  let sent: Promise<void> | undefined
  let isScheduled = false
  let deadlineTimer: NodeJS.Timeout | undefined

  function schedule(): void {
    if (isScheduled || queue.length === 0 || sent !== undefined) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      begin()
    })
  }

  function begin(): void {
    if (sent !== undefined || queue.length === 0) return
    sent = send().finally(() => {
      sent = undefined
      schedule()
    })
  }

  /** Takes the next inserts, and rejects those for which it is too late. */
  function takeGroup(maxRows = Number.POSITIVE_INFINITY): readonly WaitingInsert<Values, Row>[] {
    const group: WaitingInsert<Values, Row>[] = []
    let taken = 0
    for (const one of queue) {
      if (group.length === maxRows) break
      taken += 1
      waiting.remove(one.bytes)
      const reason = whyDropped(one.cancellation, one.deadline)
      if (reason === undefined) group.push(one)
      else one.reject(reason)
    }
    queue.splice(0, taken)
    return group
  }

  /** The group that was sent may take as long as a statement may; those behind it are rejected in time all the same. */
  function rejectLate(): void {
    const now = performance.now()
    const late = queue.findIndex(({ deadline }) => deadline > now)
    for (const one of queue.splice(0, late === -1 ? queue.length : late)) {
      waiting.remove(one.bytes)
      one.reject(waitedTooLong())
    }
    deadlineTimer = undefined
    setDeadlineTimer()
  }

  function setDeadlineTimer(): void {
    const [oldest] = queue
    if (oldest === undefined || deadlineTimer !== undefined) return
    deadlineTimer = setTimeout(rejectLate, Math.max(1, oldest.deadline - performance.now())).unref()
  }

  async function send(): Promise<void> {
    const isAlone = queue.length === 1
    let group: readonly WaitingInsert<Values, Row>[] | undefined
    const take = () => {
      group ??= takeGroup(isAlone ? 1 : MAX_ROWS)
      return group
    }
    try {
      const rows = isAlone ? [await alone(() => take()[0]?.values)] : await many(() => columnsOf(take()))
      if (rows.length !== take().length) throw persistenceUnavailable({ outcome: 'unknown' })
      take().forEach(({ resolve }, place) => {
        resolve(rows[place] as Row)
      })
    } catch (error) {
      if (!isAlone && isInvalidValue(error)) await insertEach(take())
      // Without a connection none was taken: all of them wait for the same one.
      else for (const { reject } of group ?? takeGroup()) reject(error)
    }
  }

  async function insertEach(group: readonly WaitingInsert<Values, Row>[]): Promise<void> {
    for (const { values, cancellation, deadline, resolve } of group) {
      const row = alone(() => (whyDropped(cancellation, deadline) === undefined ? values : undefined))
      resolve(row)
      await row.catch(() => undefined)
    }
  }

  return {
    add: (values, cancellation) =>
      new Promise((resolve, reject) => {
        const bytes = bytesOf(values)
        const reason = waiting.add(bytes)
        if (reason !== undefined) {
          reject(reason)
          return
        }
        queue.push({ values, bytes, deadline: performance.now() + limits.maxWaitMs, cancellation, resolve, reject })
        setDeadlineTimer()
        schedule()
      }),

    async finish() {
      while (queue.length > 0 || sent !== undefined) {
        begin()
        await sent
      }
    },
  }
}

/** A list of values for each column; `undefined` without a row. */
function columnsOf(group: readonly { readonly values: readonly SqlValue[] }[]): readonly SqlValue[][] | undefined {
  return group[0]?.values.map((_, place) => group.map(({ values }) => values[place] ?? null))
}
