import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { groupBy } from './group-by.ts'
import { measureProcesses } from './processes.ts'
import { FULL_PROCESSES } from './processes-plan.ts'

it('measures several processes on one database, and pools once', async (context) => {
  if (!existsSync('/proc/self/stat')) context.skip('needs /proc, which only Linux has')
  const plan = {
    ...FULL_PROCESSES,
    size: 1_000,
    connections: 4,
    warmUp: { maxRequests: 20, milliseconds: 1_000 },
    rounds: 1,
    leadInMs: 1,
    sliceMs: 100,
    lineUps: [
      { processes: 1, poolSize: 10 },
      { processes: 2, poolSize: 10 },
      { processes: 2, poolSize: 4 },
    ],
  }
  const { measurements } = await measureProcesses({ plan, say: () => {} })

  const [first, ...others] = groupBy(measurements, ({ placement }) => placement).map(([, all]) => all)
  expect(first?.map(({ lineUp }) => lineUp)).toEqual([...plan.lineUps, ...plan.lineUps, ...plan.lineUps])
  for (const other of others) expect(other.map(({ lineUp }) => lineUp.poolSize)).not.toContain(4)
  for (const { rounds } of measurements) {
    expect(rounds).toHaveLength(1)
    for (const { requestsPerSecond, p99Ms, serviceCoresBusy } of rounds) {
      expect(requestsPerSecond).toBeGreaterThan(0)
      expect(p99Ms).toBeGreaterThan(0)
      expect(serviceCoresBusy).toSatisfy((part: number) => part >= 0 && part <= 1)
    }
  }
}, 120_000)
