import type { PersistenceHarness } from '../../harness/persistence-harness.ts'
import type { CaseToRun } from './watched-process.ts'

/** Cases that wait, and the member of the harness without which they do not. */
export interface WaitingGroup {
  readonly needs: keyof PersistenceHarness
  readonly cases: CaseToRun[]
}

/** The cases of a capability, or of several small ones, and those that wait. */
export function groupsOf(cases: readonly CaseToRun[]): {
  readonly busy: CaseToRun[][]
  readonly waiting: WaitingGroup[]
} {
  const waitingIds = new Set(WAITING_GROUPS.flatMap(({ ids }) => ids))
  const others = cases.filter(({ id }) => !waitingIds.has(id))
  const busy = [...PROCESSES, capabilitiesWithout(PROCESSES.flat(), others)].map((capabilities) =>
    others.filter(({ capability }) => capabilities.includes(capability)),
  )
  const waiting = WAITING_GROUPS.map(({ needs, ids }) => ({
    needs,
    cases: cases.filter(({ id }) => ids.includes(id)),
  }))
  return {
    busy: busy.filter(({ length }) => length > 0),
    waiting: waiting.filter(({ cases: { length } }) => length > 0),
  }
}

/** The capabilities of cases that are not among these. */
function capabilitiesWithout(
  known: readonly string[],
  cases: readonly CaseToRun[],
): readonly string[] {
  return cases.map(({ capability }) => capability).filter((name) => !known.includes(name))
}

/**
 * Cases that wait for long, in groups that run beside all others. Among the others of their
 * capability they would take longer than everything else. Without the member of the harness that a
 * group needs it has nothing to wait for.
 */
const WAITING_GROUPS: readonly {
  readonly needs: keyof PersistenceHarness
  readonly ids: readonly string[]
}[] = [
  { needs: 'freeze', ids: ['persistence.unavailable.frozen-writes'] },
  {
    needs: 'interrupt',
    ids: ['persistence.unavailable.long', 'persistence.unavailable.keys-once'],
  },
  {
    needs: 'interrupt',
    ids: ['persistence.unavailable.within-seconds', 'persistence.unavailable.frozen-cancelled'],
  },
  {
    needs: 'freeze',
    ids: [
      'persistence.unavailable.frozen',
      'persistence.unavailable.closed-frozen',
      'persistence.unavailable.lost-connections',
    ],
  },
  { needs: 'interrupt', ids: ['persistence.sequence.outages'] },
  { needs: 'freeze', ids: ['persistence.unavailable.bulk-frozen'] },
  {
    needs: 'interrupt',
    ids: ['persistence.unavailable.acknowledged', 'persistence.unavailable.limits-once'],
  },
  {
    needs: 'interrupt',
    ids: ['persistence.unavailable.background', 'persistence.unavailable.many-late'],
  },
]

/**
 * The capabilities of each process: most of the time that a small one would take is its start, and
 * that of a database server. Pets come first, because they show soonest whether this is an adapter,
 * and then what takes longest.
 */
const PROCESSES: readonly (readonly string[])[] = [
  ['pets'],
  ['unavailability'],
  ['rate limits', 'several processes', 'capabilities'],
  ['durability', 'opening', 'migrations'],
  ['sequences of calls'],
  ['interleaved calls'],
  ['bulk access'],
  ['API keys'],
]
