import { describe, expect, it } from 'vitest'
import type { BulkMeasurement } from './bulk.ts'
import { bulkReport } from './bulk-report.ts'

function runs(...seconds: readonly number[]) {
  return seconds.map((time) => ({ seconds: time, peakMiB: 100 + time }))
}

const MEASUREMENTS: readonly BulkMeasurement[] = [
  { database: 'sqlite', title: 'import FILE.csv', ours: runs(4, 5), own: runs(2, 4) },
  { database: 'postgres', title: 'copy --from sqlite:… --to postgres:…', ours: runs(10, 10), own: runs(5, 2) },
]

function report(): string {
  const figures = { pets: 1_000_000, server: 'PostgreSQL 18', starts: runs(0.4, 0.6), measurements: MEASUREMENTS }
  return bulkReport(figures, [['Commit', 'abc']])['bulk.md'] ?? ''
}

describe('the report on bulk work', () => {
  it('has rates, their ratio within each round, and the highest memory', () => {
    expect(report()).toContain(
      '| `import FILE.csv` | 225000 (200000–250000) | 375000 (250000–500000) | 0.65 (0.50–0.80) | 105 | 104 |',
    )
  })

  it('has each job under the database that is filled or emptied', () => {
    const [, sqlite = '', postgres = ''] = report().split('\n## ')
    expect(sqlite).toMatch(/^SQLite\n/)
    expect(sqlite).toContain('import FILE.csv')
    expect(postgres).toMatch(/^PostgreSQL\n/)
    expect(postgres).toContain('| `copy --from sqlite:… --to postgres:…` |')
    expect(postgres).not.toContain('import FILE.csv')
  })

  it('says with how many pets and with what it was made', () => {
    expect(report()).toContain('1,000,000 pets, by the built program')
    expect(report()).toContain('the program takes 0.50 (0.40–0.60) s')
    expect(report()).toContain('| Commit | abc |')
    expect(report()).toContain('| PostgreSQL | PostgreSQL 18 |')
  })
})
