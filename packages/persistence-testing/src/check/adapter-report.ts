import type { PersistenceHarness } from '../persistence-harness.ts'

/** What a check found out about one guarantee. */
export interface CheckedGuarantee {
  readonly id: string
  readonly name: string
  readonly capability: string
  readonly result: 'shown' | 'not shown' | 'broken'
  /** Why it was not shown, or how it is broken. */
  readonly reason?: string
  readonly durationMs: number
}

/** What a check found out about an adapter. */
export interface AdapterReport {
  readonly contractVersion: string
  readonly capabilities: PersistenceHarness['capabilities'] | null
  readonly guarantees: readonly CheckedGuarantee[]
  /** Why it ended before the last guarantee. */
  readonly stopped?: string
}

const DETAILED = 10

/** The guarantees of a report, each or counted by capability, what is broken in detail, and a summary. */
export function formatReport(
  { guarantees, capabilities, contractVersion, stopped }: AdapterReport,
  all = false,
): string {
  const broken = guarantees.filter(({ result }) => result === 'broken')
  const details = broken.map(({ id, name, reason = '' }, index) => {
    const text = all || index < DETAILED ? reason : reason.split('\n')[0]
    return `\nBroken: ${name} (${id})\n${text?.replaceAll(/^/gm, '  ')}`
  })
  return [
    ...(all ? everyGuarantee(guarantees) : [...countsByCapability(guarantees), ...reasonsNotShown(guarantees)]),
    ...details,
    ...(stopped === undefined ? [] : ['', `Stopped: ${stopped}.`]),
    '',
    declaredIn(capabilities),
    `Contract ${contractVersion}: ${summaryOf(guarantees)}.`,
    '',
  ].join('\n')
}

function everyGuarantee(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  return table([
    ['RESULT', 'CAPABILITY', 'TIME', 'GUARANTEE'],
    ...guarantees.map(({ result, capability, durationMs, name, reason }) => {
      return [result, capability, `${durationMs} ms`, result === 'not shown' ? `${name} (${reason})` : name]
    }),
  ])
}

function countsByCapability(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  return table([
    ['CAPABILITY', 'SHOWN', 'NOT SHOWN', 'BROKEN', 'TIME'],
    ...grouped(guarantees, ({ capability }) => capability).map(([capability, group]) => {
      const counts = (['shown', 'not shown', 'broken'] as const).map((result) => String(countOf(group, result)))
      return [capability, ...counts, secondsOf(group)]
    }),
  ])
}

function reasonsNotShown(guarantees: readonly CheckedGuarantee[]): readonly string[] {
  const notShown = guarantees.filter(({ result }) => result === 'not shown')
  const reasons = grouped(notShown, ({ reason = '' }) => reason)
  if (reasons.length === 0) return []
  return ['', ...reasons.map(([reason, group]) => `Not shown: ${group.length} because ${reason}`)]
}

function grouped(
  guarantees: readonly CheckedGuarantee[],
  keyOf: (guarantee: CheckedGuarantee) => string,
): readonly (readonly [string, readonly CheckedGuarantee[]])[] {
  const keys = [...new Set(guarantees.map(keyOf))]
  return keys.map((key) => [key, guarantees.filter((guarantee) => keyOf(guarantee) === key)])
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function declaredIn(capabilities: AdapterReport['capabilities']): string {
  if (!capabilities) return 'The adapter declares no capabilities.'
  const declared = Object.entries(capabilities).filter(([, isThere]) => isThere)
  return `Declared capabilities: ${declared.map(([name]) => name).join(', ') || 'none'}.`
}

function summaryOf(guarantees: readonly CheckedGuarantee[]): string {
  const [shown, notShown, broken] = (['shown', 'not shown', 'broken'] as const).map((one) => countOf(guarantees, one))
  return `${shown} guarantees shown, ${notShown} not shown, ${broken} broken, in ${secondsOf(guarantees)}`
}

function countOf(guarantees: readonly CheckedGuarantee[], wanted: CheckedGuarantee['result']): number {
  return guarantees.filter(({ result }) => result === wanted).length
}

function secondsOf(guarantees: readonly CheckedGuarantee[]): string {
  return `${(guarantees.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(1)} s`
}
