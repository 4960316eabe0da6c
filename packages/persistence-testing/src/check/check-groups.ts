import { availableParallelism } from 'node:os'
import { NEVER_ENDED } from '../case/time-limit.ts'
import type { PersistenceHarness } from '../harness/persistence-harness.ts'
import type { CheckedGuarantee } from './adapter-report.ts'
import type { CheckOptions } from './check-harness.ts'
import type { CaseResult, LoadedHarness, ProcessEvent } from './process-messages.ts'
import { type CaseToRun, runInProcess } from './watched-process.ts'

const MAX_ENDLESS_CASES = 5
/** Groups wait more than they compute. */
const GROUPS_AT_ONCE = availableParallelism() + 2
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
  {
    needs: 'interrupt',
    ids: [
      'persistence.unavailable.background',
      'persistence.unavailable.bulk-frozen',
      'persistence.unavailable.many-late',
    ],
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
  ['bulk access'],
  ['API keys'],
]

/**
 * Runs groups of cases, each in a process, beside each other if the harness allows it, and has what
 * was found out so far. `report` gets each guarantee that was checked.
 */
export class CheckGroups {
  /** By the id of the case. */
  readonly guarantees: Map<string, CheckedGuarantee> = new Map()
  /** What the first process has loaded. */
  harness: LoadedHarness | undefined
  /** What nothing has waited for, each once: it has failed after the case that is its cause. */
  readonly errorsOutsideCases: Set<string> = new Set()
  /** Whether the command line cannot be followed; the first process has said why. */
  isWrongUse: boolean = false
  /** Why it ended before the last case. */
  stopped: string | undefined
  readonly #cases: readonly CaseToRun[]
  readonly #options: CheckOptions
  readonly #report: (guarantee: CheckedGuarantee) => void
  readonly #stopping = new AbortController()
  #endless = 0

  constructor(
    cases: readonly CaseToRun[],
    options: CheckOptions,
    report: (guarantee: CheckedGuarantee) => void,
  ) {
    this.#cases = cases
    this.#options = options
    this.#report = report
  }

  async run(): Promise<void> {
    const { busy, waiting } = groupsOf(this.#cases)
    // Without another case, such as with --only, one that waits shows what the harness allows.
    const [first = [], ...others] = busy.length > 0 ? busy : waiting.splice(0, 1).map(casesIn)
    const running: Promise<void>[] = []
    const runOthers = async () => {
      for (let group = others.shift(); group !== undefined; group = others.shift())
        await this.#runGroup(group)
    }
    // It says what the harness allows.
    await this.#runGroup(first, () => {
      if (!this.harness?.isConcurrent || running.length > 0) return
      const { members } = this.harness
      for (const { needs, cases } of waiting.splice(0))
        if (members.includes(needs) || others.length === 0) running.push(this.#runGroup(cases))
        else others.at(-1)?.push(...cases)
      for (let more = 1; more < GROUPS_AT_ONCE; more += 1) running.push(runOthers())
    })
    others.push(...waiting.map(casesIn))
    await Promise.all([...running, runOthers()])
  }

  /** Ends every process, which closes its harness. */
  stop(reason: string): void {
    this.stopped ??= reason
    this.#stopping.abort()
  }

  /** Runs the cases of a group, in another process after one that did not end. */
  async #runGroup(group: readonly CaseToRun[], onHarness?: () => void): Promise<void> {
    const byId = new Map(group.map((one) => [one.id, one]))
    const onEvent = (event: ProcessEvent) => {
      if (this.stopped !== undefined) return 'end'
      if (event.type === 'harness') {
        this.harness ??= event
        onHarness?.()
      }
      if (event.type === 'result') return this.#onResult(event, byId)
      if (event.type === 'wrong use') {
        console.error(event.message)
        this.isWrongUse = true
        this.stop(event.message)
        return 'end'
      }
      if (event.type === 'failed outside') this.errorsOutsideCases.add(event.message)
      return 'continue'
    }
    for (let rest = group; rest.length > 0 && this.stopped === undefined; ) {
      const isFirst = this.harness === undefined
      const names = [...new Set(rest.map(({ capability }) => capability))].join(', ')
      console.error(`${this.guarantees.size} of ${this.#cases.length}: ${names}`)
      const ids = rest.map(({ id }) => id)
      const given = { options: this.#options, ids, isFirst }
      const code = await runInProcess(given, byId, onEvent, this.#stopping.signal)
      const left = rest.filter(({ id }) => !this.guarantees.has(id))
      this.isWrongUse ||= code === 2 && this.guarantees.size === 0
      if (left.length === rest.length) this.stop('the adapter or its harness could not be loaded')
      rest = left
    }
  }

  #onResult(
    { id, result, reason, durationMs }: CaseResult,
    byId: ReadonlyMap<string, CaseToRun>,
  ): 'continue' | 'end' {
    const { name, capability } = byId.get(id) as CaseToRun
    const guarantee: CheckedGuarantee = {
      id,
      name,
      capability,
      result,
      durationMs: Math.round(durationMs),
      ...(reason !== undefined && { reason }),
    }
    this.guarantees.set(id, guarantee)
    this.#report(guarantee)
    if (result !== 'failed' || !reason?.includes(NEVER_ENDED)) return 'continue'
    this.#endless += 1
    if (this.#endless === MAX_ENDLESS_CASES)
      this.stop(
        `${MAX_ENDLESS_CASES} cases did not end. ` +
          'If the database is slow, give each more time with --time-limit',
      )
    // What this case has abandoned would disturb the next ones, so they run in another process.
    return 'end'
  }
}

/** Cases that wait, and the member of the harness without which they do not. */
interface WaitingGroup {
  readonly needs: keyof PersistenceHarness
  readonly cases: CaseToRun[]
}

const casesIn = ({ cases }: WaitingGroup) => cases

/** The cases of a capability, or of several small ones, and those that wait. */
function groupsOf(cases: readonly CaseToRun[]): {
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
