import type { PersistenceHarness } from '../harness/persistence-harness.ts'

/** What a check found out about one guarantee. */
export interface CheckedGuarantee {
  readonly id: string
  readonly name: string
  readonly capability: string
  readonly result: 'passed' | 'not tested' | 'failed'
  /** Why it was not tested, or how it has failed. */
  readonly reason?: string
  readonly durationMs: number
}

/** What a check found out about an adapter. */
export interface AdapterReport {
  readonly contractVersion: string
  readonly capabilities: PersistenceHarness['capabilities'] | null
  readonly guarantees: readonly CheckedGuarantee[]
  /** Errors that failed no case, because they came after the end of the one that is their cause. */
  readonly errorsOutsideCases: readonly string[]
  /** How long the whole check took: groups of cases may run at the same time. */
  readonly durationMs: number
  /** Why it ended before the last guarantee. */
  readonly stopped?: string
}

const DETAILED = 10

/**
 * The guarantees of a report, each or counted by capability, what has failed in detail, and a
 * summary.
 */
export function formatReport(report: AdapterReport, all = false): string {
  const { guarantees, capabilities, contractVersion, durationMs, stopped } = report
  // Of an adapter that could not be loaded nothing is known.
  const isKnown = stopped === undefined || guarantees.length > 0
  const failed = guarantees.filter(({ result }) => result === 'failed')
  const details = failed.map(({ id, name, reason = '' }, index) => {
    const text = all || index < DETAILED ? reason : reason.split('\n')[0]
    return `\nFailed: ${name} (${id})\n${indented(text)}`
  })
  return [
    ...(all
      ? everyGuarantee(guarantees)
      : [...countsByCapability(guarantees), ...reasonsNotTested(guarantees)]),
    ...details,
    ...errorsOutsideCases(report),
    ...(stopped === undefined ? [] : ['', `Stopped: ${stopped}.`]),
    '',
    ...(isKnown ? [declaredIn(capabilities)] : []),
    `Contract ${contractVersion}: ${summaryOf(guarantees)}, in ${secondsOf(durationMs)}.`,
    '',
  ].join('\n')
}

/** Paragraphs of the errors that have failed no case. */
export function errorsOutsideCases({
  errorsOutsideCases: errors,
}: AdapterReport): readonly string[] {
  return errors.map((error) => `\nFailed after the case that has caused it:\n${indented(error)}`)
}

function indented(text = ''): string {
  return text.replaceAll(/^/gm, '  ')
}

function everyGuarantee(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  const rows = guarantees.map(({ id, result, durationMs, name, reason }) => {
    return [result, `${durationMs} ms`, id, result === 'not tested' ? `${name} (${reason})` : name]
  })
  return table([['RESULT', 'TIME', 'ID', 'GUARANTEE'], ...rows])
}

function countsByCapability(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  const rows = grouped(guarantees, ({ capability }) => capability).map(([capability, group]) => {
    return [capability, ...countsOf(group).map(String), secondsOf(sumOf(group))]
  })
  return table([['CAPABILITY', 'PASSED', 'NOT TESTED', 'FAILED', 'TIME'], ...rows])
}

function reasonsNotTested(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  const notTested = guarantees.filter(({ result }) => result === 'not tested')
  const lines = grouped(notTested, ({ reason = '' }) => reason).map(([reason, group]) => {
    return `Not tested: ${group.length} because ${reason}`
  })
  return lines.length === 0 ? [] : ['', ...lines]
}

function grouped(
  guarantees: readonly CheckedGuarantee[],
  keyOf: (guarantee: CheckedGuarantee) => string,
): readonly (readonly [string, readonly CheckedGuarantee[]])[] {
  const keys = [...new Set(guarantees.map(keyOf))]
  return keys.map((key) => [key, guarantees.filter((guarantee) => keyOf(guarantee) === key)])
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths =
    rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const lineOf = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => lineOf(row).trimEnd())
}

function declaredIn(capabilities: AdapterReport['capabilities']): string {
  if (!capabilities) return 'The adapter declares no capabilities.'
  const declared = Object.entries(capabilities).filter(([, isThere]) => isThere)
  return `Declared capabilities: ${declared.map(([name]) => name).join(', ') || 'none'}.`
}

function summaryOf(guarantees: readonly CheckedGuarantee[]): string {
  const [passed, notTested, failed] = countsOf(guarantees)
  return `${passed} guarantees passed, ${notTested} not tested, ${failed} failed`
}

function countsOf(guarantees: readonly CheckedGuarantee[]): readonly number[] {
  const results = ['passed', 'not tested', 'failed'] as const
  return results.map((wanted) => guarantees.filter(({ result }) => result === wanted).length)
}

/** Of cases that ran one after the other. */
function sumOf(guarantees: readonly CheckedGuarantee[]): number {
  return guarantees.reduce((sum, { durationMs }) => sum + durationMs, 0)
}

function secondsOf(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`
}
