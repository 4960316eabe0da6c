import { availableParallelism } from 'node:os'
import { NEVER_ENDED } from '../../case/time-limit.ts'
import type { CheckedGuarantee } from '../adapter-report.ts'
import type { CheckOptions } from '../check-harness.ts'
import { groupsOf, type WaitingGroup } from './case-groups.ts'
import type { CaseResult, LoadedHarness, ProcessEvent } from './process-messages.ts'
import { type CaseToRun, runInProcess } from './watched-process.ts'

const MAX_ENDLESS_CASES = 5
/** Groups wait more than they compute. */
const GROUPS_AT_ONCE = availableParallelism() + 2

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

const casesIn = ({ cases }: WaitingGroup) => cases
