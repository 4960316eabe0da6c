import { describe, expect, it } from 'vitest'
import type { LineUpMeasurement } from './line-ups.ts'
import { OPERATIONS, type Operation } from './operations.ts'
import { type Placement, placements } from './placement.ts'
import { processesReport } from './processes-report.ts'
import { verdict } from './processes-verdict.ts'

const [pinned, everywhere] = placements([0, 1, 2, 3]) as [Placement, Placement]
const operation = OPERATIONS[0] as Operation

interface Shape {
  readonly processes: number
  readonly poolSize?: number
  readonly rates: readonly number[]
  readonly services?: number
  readonly others?: number
  readonly placement?: Placement
}

function measured({ processes, poolSize = 10, rates, services = 1, others = 0.5, placement = pinned }: Shape) {
  const rounds = rates.map((requestsPerSecond, round) => ({
    requestsPerSecond,
    cpuMicroseconds: 100 * processes + round,
    p99Ms: 5 + round,
    serviceCoresBusy: services,
    otherCoresBusy: others,
  }))
  return { placement, lineUp: { processes, poolSize }, operation, rounds } satisfies LineUpMeasurement
}

const ALL = [
  measured({ processes: 1, rates: [1_000, 1_000, 1_100], services: 0.5 }),
  measured({ processes: 2, rates: [1_900, 2_000, 2_100] }),
  measured({ processes: 3, rates: [2_000, 2_050, 2_200] }),
  measured({ processes: 2, poolSize: 4, rates: [1_500, 1_500, 1_500] }),
  measured({ processes: 2, poolSize: 20, rates: [1_900, 2_000, 2_000] }),
]

describe('the verdict', () => {
  it('takes the fewest processes and the smallest pool that do as well as the best', () => {
    const text = verdict([[ALL]])
    expect(text).toContain('With 2 cores for the services')
    expect(text).toContain('as well as the best were 2, 1.91 (1.90–2.00) times one, for List 20.')
    expect(text).toContain('With 2 processes the smallest pools that did as well as the best were 10 for List 20;')
    expect(text).toContain('take 1 process for each core that the services have, with `DATABASE_POOL_SIZE=10`.')
  })

  it('takes the greatest need of all operations', () => {
    const other = [
      measured({ processes: 1, rates: [1_000] }),
      measured({ processes: 2, rates: [2_000] }),
      measured({ processes: 3, rates: [3_000] }),
      measured({ processes: 2, poolSize: 4, rates: [1_000] }),
      measured({ processes: 2, poolSize: 20, rates: [3_000] }),
    ]
    expect(verdict([[ALL, other]])).toContain('take 1.5 processes for each core')
    expect(verdict([[ALL, other]])).toContain('`DATABASE_POOL_SIZE=20`')
  })

  it('names the cores that have nothing left', () => {
    const only = (shape: Partial<Shape>) => verdict([[[measured({ processes: 1, rates: [1_000], ...shape })]]])
    expect(only({})).toContain('the limit was the cores of the services for List 20.')
    expect(only({ services: 0.9, others: 0.96 })).toContain(
      'the limit was the cores of client and database for List 20.',
    )
    expect(only({ others: 1 })).toContain('the limit was the cores for List 20.')
    expect(only({ services: 0.5 })).toContain('the limit was waiting, for no cores were always busy, for List 20.')
    const together = only({ placement: everywhere, others: Number.NaN })
    expect(together).toContain('the limit was the cores for List 20.')
    expect(together).toContain('were busy for 100% of the time for List 20.')
  })

  it('recommends nothing where the machine was not quiet', () => {
    const disturbed = measured({ processes: 3, rates: [2_000, 500, 2_000] })
    expect(verdict([[[...ALL, disturbed]]])).toBe(
      'The rounds of a line-up differ up to 4.0 times over, so something else ran meanwhile: nothing is recommended here.',
    )
  })

  it('tells the other placements, and has six sentences', () => {
    const text = verdict([[ALL, ALL], [[measured({ processes: 1, rates: [900], placement: everywhere })]]])
    expect(text).toContain('With everybody on 4 cores they were 1 for List 20.')
    expect(text).toContain('times one, for List 20 and List 20.')
    const disturbed = verdict([[ALL], [[measured({ processes: 1, rates: [900, 300], placement: everywhere })]]])
    expect(disturbed).toContain('With everybody on 4 cores rounds differ up to 3.0 times over, which says nothing.')
    expect(disturbed).toContain('take 1 process for each core')
    expect(text.match(/\.(?= |$)/g)).toHaveLength(6)
  })
})

describe('the report on several processes', () => {
  const more = measured({ processes: 1, rates: [900], placement: everywhere, others: Number.NaN })
  const figures = { server: 'PostgreSQL 18', measurements: [...ALL, more] }
  const report = processesReport(figures, { size: 10_000, connections: 48 }, [['Commit', 'abc']])['processes.md'] ?? ''

  it('has throughput, what it is against one process, CPU time, p99 and the use of cores', () => {
    expect(report).toContain(
      '| 2 | 2000 (1900–2100) | 1.91 (1.90–2.00) | 201.0 (200.0–202.0) | 6.0 (5.0–7.0) | 100 (100–100) | 50 (50–50) |',
    )
  })

  it('compares pools in a part of their own', () => {
    const [, , , pools = ''] = report.split('\n## ')
    expect(pools).toContain('Pools, with 2 processes')
    expect(pools.match(/^\| (4|10|20) \|/gm)).toEqual(['| 4 |', '| 10 |', '| 20 |'])
  })

  it('says where everybody ran, and with what', () => {
    expect(report).toContain('## Services on cores 2, 3, client and database on cores 0, 1')
    expect(report).toContain('## All of them on cores 0, 1, 2, 3')
    expect(report).toContain('| PostgreSQL | PostgreSQL 18 |')
    expect(report).toContain('48 connections')
    expect(report).not.toContain('NaN')
  })
})
