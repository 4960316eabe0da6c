import type { Selection } from '../comparison/comparison.ts'
import { CREATE, GET, LIST, MIXED, OPERATIONS } from '../requests/operations.ts'
import { DATABASES, SERVICE } from '../servers/contestants.ts'

/** The service beside itself, with more and more pets in its database. */
export function growthSelections(sizes: readonly number[]): Selection[] {
  const contestants = sizes.map((size) => ({ ...SERVICE, name: size.toLocaleString('en'), size }))
  const operations = OPERATIONS.filter((one) => one !== MIXED)
  return DATABASES.map((database) => ({ database, operations, contestants }))
}

/** The service beside itself, as one and as several processes. */
export function processesSelection(counts: readonly number[]): Selection {
  const contestants = counts.map((processes) => ({ ...SERVICE, name: `processes: ${processes}`, processes }))
  return { database: 'postgres', operations: [LIST, GET, CREATE], contestants }
}
