import { describe, expect, it } from 'vitest'
import type { Comparison } from './comparison.ts'
import { comparisonReport } from './comparison-report.ts'
import type { Contestant } from './contestant.ts'
import { OPERATIONS, type Operation } from './operations.ts'

const bare: Contestant = {
  id: 'bare',
  name: 'bare',
  database: 'postgres',
  role: 'ceiling',
  isBaseline: true,
  program: [],
  paging: 'after',
}
const ours: Contestant = { ...bare, id: 'pet-store', name: 'Pet Store', role: 'service' }
const { isBaseline: _, ...oursAlone } = ours

function measurement(contestant: Contestant, cpuMicroseconds: readonly number[], rates: readonly number[]) {
  const rounds = cpuMicroseconds.map((cpu, round) => ({
    cpuMicroseconds: cpu,
    requestsPerSecond: rates[round] ?? 0,
    p50Ms: 1.5,
    p99Ms: 9,
  }))
  return { contestant, operation: OPERATIONS[0] as Operation, warmUp: 30_000, rounds }
}

const COMPARISON: Comparison = {
  database: 'postgres',
  server: 'an embedded server',
  measurements: [
    measurement(bare, [40, 50, 80], [1_000, 2_000, 3_000]),
    measurement(oursAlone, [50, 50, 100], [900, 2_000, 3_300]),
  ],
  footprints: [
    {
      contestant: oursAlone,
      peakMiB: 150.4,
      starts: [300, 400, 320].map((firstAnswerMs) => ({ firstAnswerMs, restMiB: 90 })),
    },
  ],
}

function report(comparison: Partial<Comparison> = {}): string {
  const files = comparisonReport([{ ...COMPARISON, ...comparison }], [['Commit', 'abc']], ['express 5'])
  return files['report.md'] ?? ''
}

describe('the report', () => {
  it('says how the service stands to the bare server, round by round, with the spread', () => {
    expect(report()).toContain('| **Pet Store** | 0.80 (0.80–1.00) |')
    expect(report()).toContain('| **Pet Store** | 1.00 (0.90–1.10) |')
  })

  it('gives the figures behind it', () => {
    expect(report()).toContain('| Pet Store | List 20 | 2000 | 50.0 | 1.50 | 9.00 | 30000 |')
    expect(report()).toContain('| Pet Store | 320 (300–400) | 90 (90–90) | 150 |')
  })

  it('says what it was made with', () => {
    expect(report()).toContain('| Commit | abc |')
    expect(report()).toContain('On an embedded server.')
    expect(report()).toContain('express 5')
  })

  it('compares with the database alone, or says why not', () => {
    expect(report({ pgbench: new Map([['list', [4_000, 6_000, 5_000]]]) })).toContain(
      '| pgbench: PostgreSQL alone | 2.50 (2.00–3.00) |',
    )
    expect(report()).toContain('pgbench is not installed here')
  })

  it('comes with its drawing', () => {
    const files = comparisonReport([COMPARISON], [], [])
    expect(Object.keys(files)).toEqual(['report.md', 'postgres.svg'])
    expect(files['report.md']).toContain('(postgres.svg)')
  })

  it('refuses figures without the server to compare them with', () => {
    expect(() => report({ measurements: COMPARISON.measurements.slice(1) })).toThrow('Nothing to compare list with')
  })
})
