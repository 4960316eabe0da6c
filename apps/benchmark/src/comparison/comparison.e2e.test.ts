import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { median } from '../measuring/statistics.ts'
import { OPERATIONS } from '../requests/operations.ts'
import { bare, CONTESTANTS, type Contestant } from '../servers/contestants.ts'
import { compare } from './comparison.ts'
import { comparisonReport } from './comparison-report.ts'
import { FULL, type Plan } from './plan.ts'

const LIAR = fileURLToPath(new URL('../testing/lying-server.test-support.ts', import.meta.url))

/** Enough requests to see that everything works; too few to measure anything. */
const TINY: Plan = {
  ...FULL,
  size: 2_000,
  connections: 4,
  warmUpRequests: 20,
  rounds: 2,
  sliceMs: 20,
  curveRounds: 1,
  curveSliceMs: 20,
}
const conditions = { plan: TINY, log: () => {} }
const onSqlite = CONTESTANTS.filter(({ database, role }) => database === 'sqlite' && role !== 'peer')

function liar(lie: string): Contestant {
  return { id: lie, name: 'liar', database: 'sqlite', role: 'ceiling', program: [LIAR, lie, String(TINY.size)] }
}

beforeEach((context) => {
  if (!existsSync('/proc/self/schedstat')) context.skip('needs /proc, which only Linux has')
})

it('measures the service, the traced service and the bare server at everything, and reports them', async () => {
  const selection = { database: 'sqlite', operations: OPERATIONS, contestants: onSqlite } as const
  const comparison = await compare(selection, conditions)

  expect(comparison.measurements).toHaveLength(onSqlite.length * OPERATIONS.length)
  for (const { requestsPerSecond, p50Ms, p99Ms } of comparison.measurements.flatMap(({ series }) => series.slices)) {
    expect(requestsPerSecond).toBeGreaterThan(0)
    expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
  }
  // In microseconds: neither a nanosecond nor a second a request.
  const cpu = comparison.measurements.flatMap(({ series }) =>
    series.slices.map(({ cpuMicroseconds }) => cpuMicroseconds),
  )
  expect(median(cpu)).toSatisfy((time: number) => time > 0.5 && time < 500_000)
  for (const { peakMiB, restMiB } of comparison.footprints) {
    // In MiB: a Node of 10 would be a wrong unit, and so would one of 10,000.
    for (const memory of [peakMiB, ...restMiB]) expect(memory).toSatisfy((mib: number) => mib > 10 && mib < 10_000)
  }
  for (const { points } of comparison.curves) {
    for (const { requestsPerSecond, p50Ms, p99Ms } of points) {
      expect(requestsPerSecond).toBeGreaterThan(0)
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms)
    }
  }
  const report = comparisonReport([[comparison, comparison]], [], [])
  expect(report['report.md']).toContain('| **Pet Store** |')
  expect(report['report.md']).toMatch(/\| List 20 \| \*\*[^|]*\*\* \| (\d\.\d\d) \| \1 \| yes \|/)
  expect(report['report.md']).not.toContain('NaN')
  expect(report['sqlite.svg']).toContain('>Pet Store</text>')
  expect(report['latency.svg']).toContain('>Pet Store</text>')
})

it.each([
  ['wrong-name', /liar \(sqlite\) gives a wrong response to GET \/v1\/pets\/\d+\nexpected: 200/],
  ['forgets', /liar responded \d+ times that it added a pet, and stored 0\./],
])(
  'stops at a contestant that lies: %s',
  async (lie, message) => {
    const run = compare({ database: 'sqlite', operations: OPERATIONS, contestants: [liar(lie)] }, conditions)
    await expect(run).rejects.toThrow(message)
  },
  60_000,
)

it('stops at a bare server whose headers are not those of the service', async () => {
  const [, service] = onSqlite
  const other: Contestant = { ...liar('other'), program: ['--import', WITHOUT_SNIFF, bare('sqlite')] }
  const run = compare({ database: 'sqlite', operations: [], contestants: [other, service as Contestant] }, conditions)
  await expect(run).rejects.toThrow('liar sends other headers than our service')
})

/** Removes a header from each response. */
const WITHOUT_SNIFF = `data:text/javascript,${encodeURIComponent(`
  import { ServerResponse } from 'node:http'
  const { writeHead } = ServerResponse.prototype
  ServerResponse.prototype.writeHead = function (status, headers) { return writeHead.call(this, status, headers.slice(2)) }
`)}`
