import { adapterContract } from './adapter-contract.ts'
import { contractVersion } from './contract-case.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

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
}

/**
 * Runs every case of `adapterContract`, one after the other. Never rejects: a guarantee that is broken is in the report.
 * Work of an adapter that never ended is abandoned, so end the process afterwards.
 */
export async function checkAdapter(
  harness: PersistenceHarness,
  onProgress: (done: number, total: number, capability: string) => void = () => {},
): Promise<AdapterReport> {
  const cases = adapterContract(harness)
  const guarantees: CheckedGuarantee[] = []
  for (const { id, name, capability, run } of cases) {
    onProgress(guarantees.length, cases.length, capability)
    const start = Date.now()
    const outcome = await run().then(
      (reason) => (reason === undefined ? { result: 'shown' as const } : { result: 'not shown' as const, reason }),
      (error: unknown) => ({ result: 'broken' as const, reason: reasonOf(error) }),
    )
    guarantees.push({ id, name, capability, ...outcome, durationMs: Date.now() - start })
  }
  onProgress(cases.length, cases.length, '')
  return { contractVersion, capabilities: harness.capabilities ?? null, guarantees }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}\n${error.cause.message}` : error.message
}

/** The guarantees of a report as a table, what is broken in detail, and a summary. */
export function formatReport({ guarantees, capabilities }: AdapterReport): string {
  const rows = [
    ['RESULT', 'CAPABILITY', 'TIME', 'GUARANTEE'],
    ...guarantees.map(({ result, capability, durationMs, name, reason }) => {
      const time = `${durationMs} ms`.padStart(8)
      return [result, capability, time, result === 'not shown' ? `${name} (${reason})` : name]
    }),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const table = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  const broken = guarantees
    .filter(({ result }) => result === 'broken')
    .map(({ id, name, reason = '' }) => `\nBroken: ${name} (${id})\n${reason.replaceAll(/^/gm, '  ')}`)
  return [...table, ...broken, '', declaredIn(capabilities), summaryOf(guarantees), ''].join('\n')
}

function declaredIn(capabilities: AdapterReport['capabilities']): string {
  if (!capabilities) return 'The adapter declares no capabilities.'
  const declared = Object.entries(capabilities).filter(([, isThere]) => isThere)
  return `Declared capabilities: ${declared.map(([name]) => name).join(', ') || 'none'}.`
}

function summaryOf(guarantees: readonly CheckedGuarantee[]): string {
  const count = (wanted: string) => guarantees.filter(({ result }) => result === wanted).length
  const seconds = guarantees.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  return `Contract ${contractVersion}: ${count('shown')} guarantees shown, ${count('not shown')} not shown, ${count('broken')} broken, in ${seconds.toFixed(1)} s.`
}
