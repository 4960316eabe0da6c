import type { Selection } from '../comparison/comparison.ts'
import { RARE_STATUS } from '../requests/data-set.ts'
import { CREATE, GET, LIST, lastPageAfter, list, OPERATIONS, type Operation } from '../requests/operations.ts'
import { DATABASES, SERVICE } from '../servers/contestants.ts'

const RARE: Operation = {
  id: 'rare',
  title: 'List 20 with a rare status',
  warmUp: 0.1,
  requests: ({ size }) => [list(size, { status: RARE_STATUS, after: lastPageAfter(size) })],
}

/** The service beside itself, with more and more pets in its database. */
export function growthSelections(sizes: readonly number[]): Selection[] {
  const contestants = sizes.map((size) => {
    const name = size.toLocaleString('en')
    return { ...SERVICE, id: name, name, size }
  })
  const operations = [...OPERATIONS.filter(({ id }) => id !== 'mixed'), RARE]
  return DATABASES.map((database) => ({ database, operations, contestants }))
}

/** The service beside itself, as one and as several processes. */
export function processesSelection(counts: readonly number[]): Selection {
  const contestants = counts.map((processes) => {
    const name = `${processes} ${processes === 1 ? 'process' : 'processes'}`
    return { ...SERVICE, id: name, name, processes }
  })
  return { database: 'postgres', operations: [LIST, GET, CREATE], contestants }
}
