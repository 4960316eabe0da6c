import { CONTESTANTS, type Contestant, DATABASES, type Database } from './contestant.ts'
import { OPERATIONS, type Operation } from './operations.ts'

/** What is measured on one database. */
export interface Selection {
  readonly database: Database
  readonly operations: readonly Operation[]
  readonly contestants: readonly Contestant[]
}

/**
 * Chooses by the beginnings of words: `sqlite-get` among databases with operations, `pet-store` among contestants.
 * Without words everything is chosen; the one that all are compared with always is.
 */
export function select(only: readonly string[], contestants: readonly string[], all = CONTESTANTS): Selection[] {
  const isChosen = (words: readonly string[], name: string) =>
    words.length === 0 || words.some((word) => name.startsWith(word))
  const selections = DATABASES.map((database) => ({
    database,
    operations: OPERATIONS.filter(({ id }) => isChosen(only, `${database}-${id}`)),
    contestants: all.filter(
      (contestant) =>
        contestant.database === database && (contestant.isBaseline || isChosen(contestants, contestant.id)),
    ),
  })).filter(({ operations }) => operations.length > 0)
  if (selections.length === 0) {
    const ids = OPERATIONS.map(({ id }) => id).join(', ')
    throw new RangeError(`Nothing is called ${only.join(', ')}. Say ${DATABASES.join(' or ')}, - and one of ${ids}.`)
  }
  return selections
}
