import { adapterContract } from '../adapter-contract.ts'
import { TIME_LIMIT_MS } from '../contract-case.ts'
import { contractVersion } from '../contract-version.ts'
import { type AdapterReport, type CheckedGuarantee, formatReport } from './adapter-report.ts'
import { CAPABILITIES, idOf, NEVER_ENDED } from './cases-to-run.ts'
import type { CheckOptions } from './check-harness.ts'
import { createReporter, type ReporterName, type RunnerEvent } from './reporters.ts'
import { type CaseToRun, runInProcess } from './watched-process.ts'

/** How the result is printed. */
export interface PrintOptions {
  /** Every guarantee instead of counts. */
  readonly all: boolean
  readonly json: boolean
  /** One of Node's reporters instead of our own table. */
  readonly reporter?: ReporterName | undefined
}

const MAX_ENDLESS_CASES = 5

/** What was found out so far, by as many processes as it took. */
interface Findings {
  readonly guarantees: CheckedGuarantee[]
  capabilities: AdapterReport['capabilities']
  endless: number
  isClean: boolean
  stopped?: string
}

/**
 * Checks an adapter, a group of cases after the other, each in a process of its own that is ended
 * when it does not end, and prints the result. Resolves with the exit code: 0 nothing has failed, 1
 * something has, or not everything was checked, 2 wrong use.
 */
export async function checkCommand(
  options: CheckOptions,
  { all, json, reporter: reporterName }: PrintOptions,
): Promise<number> {
  const cases = casesFor(options)
  if (cases.length === 0) {
    console.error(`The id of no case begins with ${JSON.stringify(options.only)}.`)
    return 2
  }
  const reporter = createReporter(reporterName)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  const findings: Findings = { guarantees: [], capabilities: null, endless: 0, isClean: true }
  for (let first = 0; first < cases.length && findings.stopped === undefined; ) {
    const { capability } = cases[first] as CaseToRun
    console.error(`${first} of ${cases.length}: ${capability}`)
    const rest = cases.slice(first)
    const end = rest.findIndex((one) => one.capability !== capability)
    const group = end === -1 ? rest : rest.slice(0, end)
    const code = await runGroup(group, options, findings, reporter.write, interruption.signal)
    // Nothing was checked yet: the command line cannot be followed.
    if (code === 2 && findings.guarantees.length === 0) return 2
    if (interruption.signal.aborted) findings.stopped ??= 'interrupted'
    if (findings.guarantees.length === first)
      findings.stopped ??= 'the adapter or its harness could not be loaded'
    first = findings.guarantees.length
  }
  await reporter.end()
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  const { guarantees, capabilities, stopped, isClean } = findings
  const report = { contractVersion, capabilities, guarantees, ...(stopped && { stopped }) }
  if (json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
  else if (reporterName === undefined) process.stdout.write(formatReport(report, all))
  const hasFailed = guarantees.some(({ result }) => result === 'failed')
  return hasFailed || !isClean || stopped !== undefined ? 1 : 0
}

/** What is run, without a harness: the cases of every adapter are the same. */
function casesFor({ only = '', timeLimitSeconds = 0 }: CheckOptions): readonly CaseToRun[] {
  const open = () => Promise.reject(new Error('This harness only names the cases.'))
  const scale = (timeLimitSeconds * 1000) / TIME_LIMIT_MS || 1
  return adapterContract({ open, emptyDatabase: async () => '' })
    .filter(({ id }) => id.startsWith(only))
    .map(({ id, name, capability, timeLimitMs }) => ({
      id,
      name,
      capability,
      limitMs: timeLimitMs * scale,
    }))
}

/** Runs the cases of a group, up to one that does not end. Resolves with the exit code. */
async function runGroup(
  group: readonly CaseToRun[],
  options: CheckOptions,
  findings: Findings,
  report: (event: RunnerEvent) => void,
  interruption: AbortSignal,
): Promise<number> {
  const byId = new Map(group.map((one) => [one.id, one]))
  const isFirst = findings.guarantees.length === 0

  function onEvent(event: RunnerEvent): 'continue' | 'end' {
    const { type, data } = event
    if (type === 'test:diagnostic') {
      if (data.message.startsWith(CAPABILITIES))
        findings.capabilities = capabilitiesIn(data.message)
      else if (data.message.startsWith('Error: ')) reportOutside(data.message)
    }
    if (type !== 'test:pass' && type !== 'test:fail') {
      if (type !== 'test:diagnostic' && type !== 'test:plan' && type !== 'test:summary')
        report(event)
      return 'continue'
    }
    const one = byId.get(idOf(data.name) ?? '')
    if (one === undefined) {
      reportOutside(type === 'test:fail' ? reasonOf(event) : data.name)
      return 'continue'
    }
    report(event)
    const reason = type === 'test:fail' ? reasonOf(event) : data.skip
    return add(one, typeof reason === 'string' ? reason : undefined, type, data)
  }

  function add(
    { id, name, capability }: CaseToRun,
    reason: string | undefined,
    type: 'test:pass' | 'test:fail',
    { details }: { readonly details: { readonly duration_ms: number } },
  ): 'continue' | 'end' {
    const passed = reason === undefined ? 'passed' : 'not tested'
    findings.guarantees.push({
      id,
      name,
      capability,
      result: type === 'test:fail' ? 'failed' : passed,
      durationMs: Math.round(details.duration_ms),
      ...(reason !== undefined && { reason }),
    })
    if (type === 'test:pass' || !reason?.includes(NEVER_ENDED)) return 'continue'
    findings.endless += 1
    if (findings.endless === MAX_ENDLESS_CASES) {
      findings.stopped ??=
        `${MAX_ENDLESS_CASES} cases did not end. ` +
        'If the database is slow, give each more time with --time-limit'
    }
    // What this case has abandoned would disturb the next ones, so they run in another process.
    return 'end'
  }

  function reportOutside(message: string): void {
    findings.isClean = false
    console.error(`Outside of any case: ${message}`)
  }

  const ids = group.map(({ id }) => id)
  return runInProcess({ options, ids, isFirst }, byId, onEvent, interruption)
}

function capabilitiesIn(message: string): AdapterReport['capabilities'] {
  const text = message.slice(CAPABILITIES.length)
  return text === 'undefined' ? null : JSON.parse(text)
}

/** What the case has said, or what else has gone wrong during it. */
function reasonOf({ data }: Extract<RunnerEvent, { type: 'test:fail' }>): string {
  const { cause, message } = data.details.error
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? message)
}
