import { PersistenceUnavailable } from '@pet-store/persistence'
import type { SqlValue } from '@pet-store/persistence-mikro-orm'

/** So many groups may be under way; what comes meanwhile waits together for the next. */
const GROUPS = 2

/** The most rows of a group. */
const MOST = 500

/** Inserts that are put together. */
export interface GroupedInserts<Values, Row> {
  /** Answered after the commit. An insert that is refused fails alone. */
  readonly add: (values: Values) => Promise<Row>
  /** Waits until all are answered. */
  readonly finish: () => Promise<void>
}

interface Waiting<Values, Row> {
  readonly values: Values
  resolve(row: Row | Promise<Row>): void
  reject(error: unknown): void
}

/**
 * Puts the inserts of one turn of the event loop into one statement: one round trip and one wait for the disk serve them
 * all. `many` takes a list of values for each column and gives back a row for each insert, in their order, or changes
 * nothing. Where the database refuses that, each insert runs `alone`, so that a bad one takes no other along.
 */
export function groupInserts<Values extends readonly SqlValue[], Row>(
  alone: (values: Values) => Promise<Row>,
  many: (columns: readonly (readonly SqlValue[])[]) => Promise<readonly Row[]>,
): GroupedInserts<Values, Row> {
  const waiting: Waiting<Values, Row>[] = []
  const underWay = new Set<Promise<void>>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || waiting.length === 0 || underWay.size === GROUPS) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      begin()
    })
  }

  function begin(): void {
    if (waiting.length === 0) return
    const group = insert(waiting.splice(0, MOST)).finally(() => {
      underWay.delete(group)
      schedule()
    })
    underWay.add(group)
    // More than one group has come at once.
    schedule()
  }

  async function insert(group: readonly Waiting<Values, Row>[]): Promise<void> {
    if (group.length === 1 || !(await insertTogether(group))) {
      for (const { values, resolve } of group) {
        const row = alone(values)
        resolve(row)
        await row.catch(() => undefined)
      }
    }
  }

  /** Answers all of them, or none where the database refuses something. */
  async function insertTogether(group: readonly Waiting<Values, Row>[]): Promise<boolean> {
    const columns = group[0]?.values.map((_, place) => group.map(({ values }) => values[place] ?? null)) ?? []
    try {
      const rows = await many(columns)
      group.forEach(({ resolve }, place) => {
        resolve(rows[place] as Row)
      })
      return true
    } catch (error) {
      // Nobody knows how far it came, so it must not be tried again.
      if (!(error instanceof PersistenceUnavailable)) return false
      for (const { reject } of group) reject(error)
      return true
    }
  }

  return {
    add: (values) =>
      new Promise((resolve, reject) => {
        waiting.push({ values, resolve, reject })
        schedule()
      }),

    async finish() {
      while (waiting.length > 0) begin()
      await Promise.all(underWay)
    },
  }
}
