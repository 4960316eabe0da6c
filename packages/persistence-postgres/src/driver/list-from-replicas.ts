import type { StatementRunner } from '@pet-store/persistence-mikro-orm'

/** What lists need of a replica. */
export interface Replica {
  readonly runner: StatementRunner
  /** Whether it failed, and has not been seen to work since. */
  readonly isResting: boolean
  /** Leaves it alone until it works again. */
  rest(reason: unknown): void
}

/**
 * A runner whose lists are read from the replicas in turn. Everything else stays on the primary, and so does a list
 * that no replica answers, or that a replica answers with fewer rows than asked for: where a list ends is known to the
 * primary alone. No replicas: the runner of the primary itself.
 */
export function listFromReplicas(primary: StatementRunner, replicas: readonly Replica[]): StatementRunner {
  if (replicas.length === 0) return primary
  let turn = 0

  /** The place of the next one that works; -1 where none does. */
  function nextPlace(): number {
    for (let tried = 0; tried < replicas.length; tried += 1) {
      turn = (turn + 1) % replicas.length
      if (replicas[turn]?.isResting === false) return turn
    }
    return -1
  }

  return {
    ...primary,
    readAll(statement, map) {
      const readPrimary = primary.readAll(statement, map)
      const readers = replicas.map((replica) => ({ replica, read: replica.runner.readAll(statement, map) }))
      return async (values) => {
        const reader = readers[nextPlace()]
        if (reader === undefined) return readPrimary(values)
        try {
          const rows = await reader.read(values)
          if (rows.length === values.at(-1)) return rows
        } catch (error) {
          reader.replica.rest(error)
        }
        return readPrimary(values)
      }
    },
  }
}
