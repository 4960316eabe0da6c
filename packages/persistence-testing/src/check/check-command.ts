import { adapterContract } from '../adapter-contract.ts'
import { contractVersion } from '../contract-version.ts'
import { errorsOutsideCases, formatReport } from './adapter-report.ts'
import type { CheckOptions } from './check-harness.ts'
import { CheckGroups } from './processes/check-groups.ts'
import type { CaseToRun } from './processes/watched-process.ts'
import { createReporter, type ReporterName } from './reporters.ts'
import { createTestRun } from './test-runner.ts'
import { scaleOf } from './time-scale.ts'

/** How the result is printed. */
export interface PrintOptions {
  /** Every guarantee instead of counts. */
  readonly all: boolean
  readonly json: boolean
  /** One of Node's reporters instead of our own table. */
  readonly reporter?: ReporterName | undefined
}

/**
 * Checks an adapter in processes that are ended when a case in them does not end, and prints the
 * result. Resolves with the exit code: 0 nothing has failed, 1 something has, or not everything
 * was checked, 2 wrong use.
 */
export async function checkCommand(
  options: CheckOptions,
  { all: printsAll, json, reporter: reporterName }: PrintOptions,
): Promise<number> {
  const { only = [''], skip = [] } = options
  const all = casesFor(options)
  const unknown = [...only, ...skip].filter((start) => !all.some(({ id }) => id.startsWith(start)))
  if (unknown.length > 0) {
    const beginnings = all.map(({ id }) => id.slice(0, id.lastIndexOf('.')))
    console.error(
      `The id of no case begins with ${JSON.stringify(unknown[0])}. ` +
        `Begin with one of ${[...new Set(beginnings)].join(', ')}.`,
    )
    return 2
  }
  const cases = all.filter(({ id }) => only.some((start) => id.startsWith(start)))
  const startMs = performance.now()
  const reporter = createReporter(reporterName)
  const tests = createTestRun(cases, reporter.write)
  const groups = new CheckGroups(cases, options, tests.onResult)
  const interrupt = () => groups.stop('interrupted')
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  // As to a pipe whose reader has ended.
  process.stdout.on('error', ({ message }) => {
    if (groups.stopped !== undefined) return
    console.error(`The output could not be written: ${message}`)
    groups.stop('its output could not be written')
    process.once('exit', () => {
      process.exitCode = 1
    })
  })
  await groups.run()
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  const { harness, stopped, isWrongUse } = groups
  await tests.end(stopped)
  if (isWrongUse) return 2
  await reporter.end()
  // In the order of the contract, whatever order they ended in.
  const guarantees = cases.flatMap(({ id }) => groups.guarantees.get(id) ?? [])
  const report = {
    contractVersion,
    capabilities: harness?.capabilities ?? null,
    guarantees,
    errorsOutsideCases: [...groups.errorsOutsideCases],
    durationMs: Math.round(performance.now() - startMs),
    ...(stopped !== undefined && { stopped }),
  }
  if (json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
  else if (reporterName === undefined) process.stdout.write(formatReport(report, printsAll))
  else for (const error of errorsOutsideCases(report)) console.error(error)
  const hasFailed = guarantees.some(({ result }) => result === 'failed')
  return hasFailed || report.errorsOutsideCases.length > 0 || stopped !== undefined ? 1 : 0
}

/** Every case, without a harness: the cases of every adapter are the same. */
function casesFor(options: CheckOptions): readonly CaseToRun[] {
  const open = () => Promise.reject(new Error('This harness only names the cases.'))
  const scale = scaleOf(options)
  const { randomCalls = {} } = options
  return adapterContract({ open, emptyDatabase: async () => '', randomCalls }).map(
    ({ id, name, capability, timeLimitMs }) => ({
      id,
      name,
      capability,
      limitMs: timeLimitMs * scale,
    }),
  )
}
