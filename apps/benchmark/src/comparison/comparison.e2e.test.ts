import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDatabase, runSql } from '@pet-store/testing-postgres'
import type {} from '@pet-store/testing-postgres/vitest-global-setup'
import { beforeAll, beforeEach, expect, inject, it, onTestFinished } from 'vitest'
import { choose } from '../command-line.ts'
import { takeSlice } from '../measuring/slice.ts'
import { comparisonReport } from '../report/comparison-report.ts'
import { withThisMachine } from '../report/machines.ts'
import { scaleReport } from '../report/scale-report.ts'
import { GET, OPERATIONS } from '../requests/operations.ts'
import { checkedRequest } from '../requests/request.ts'
import { measureBulk } from '../scale/bulk.ts'
import { CONTESTANTS, type Contestant } from '../servers/contestants.ts'
import { openDatabases } from '../servers/databases.ts'
import { type Comparison, compare } from './comparison.ts'
import { FULL, growthSelections, type Plan, processesSelection } from './plan.ts'

/** Enough requests to see that everything works; too few to measure anything. */
const TINY: Plan = {
  ...FULL,
  size: 2_000,
  connections: 4,
  warmUpMs: 1,
  rounds: 2,
  sliceMs: 1,
  latency: { rounds: 1, sliceMs: 20 },
}
const facts = { command: '', date: '', commit: '', machine: 'tiny', system: '', cores: '' }
const [bare, service] = CONTESTANTS.sqlite as [Contestant, Contestant]
const log = () => {}
const contestants = [bare, service]
let measured: Comparison

beforeAll(async () => {
  if (!existsSync('/proc/self/schedstat')) return
  const selection = { database: 'sqlite', operations: OPERATIONS, contestants } as const
  measured = await compare({ ...selection, plan: TINY }, log)
})

beforeEach((context) => {
  if (!existsSync('/proc/self/schedstat')) context.skip('needs /proc, which only Linux has')
})

it('a comparison measures the service and the bare server, and reports them', () => {
  expect(measured.measurements).toHaveLength(contestants.length * OPERATIONS.length)
  const slices = measured.measurements.flatMap(({ series }) => series.slices)
  // A number outside of this range would not be in microseconds.
  for (const { cpuMicroseconds } of slices)
    expect(cpuMicroseconds).toSatisfy((us: number) => us > 0.5 && us < 500_000)
  for (const { peakMiB, restMiB } of measured.footprints) {
    // A number outside of this range would not be in MiB.
    for (const memory of [peakMiB, restMiB])
      expect(memory).toSatisfy((mib: number) => mib > 10 && mib < 10_000)
  }
  expect(measured.latency?.series.slices).toHaveLength(TINY.latency.rounds)
  const report = comparisonReport([measured], withThisMachine([], [measured], facts), facts)
  expect(report['report.md']).toMatch(/\| Mixed \| [\d.]+ \| [\d.]+ \| -?\d+ \| [\d.]+ \|/)
  expect(report['report.md']?.match(/.*NaN.*/g)).toBeNull()
  expect(report['sqlite.svg']).toContain('>Pet Store</text>')
})

it.each([
  // The pets of another data set.
  [1_000, /^other: Wrong response to GET \/v1\/pets.*\nexpected: 200/],
  // What it adds is stored in the other database.
  [TINY.size, /^other responded \d+ times that it added a pet, and stored 0\./],
])(
  'a comparison stops at a contestant with a database of its own, of %d pets',
  async (size, message) => {
    const databases = await openDatabases('sqlite')
    onTestFinished(databases.close)
    const { url } = await databases.create(size)
    const other = { ...bare, name: 'other', settings: { DATABASE_URL: url } }
    const run = compare(
      { database: 'sqlite', operations: OPERATIONS, contestants: [other], plan: TINY },
      log,
    )
    await expect(run).rejects.toThrow(message)
  },
)

it('a comparison stops at a response that has another body under load', async () => {
  const server = createServer((_, response) => response.end('{"id":1} ')).listen(0)
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const requests = [checkedRequest({ path: '/v1/pets/1' }, 200, '{"id":1}')]
  const slice = takeSlice({
    servers: [{ pid: process.pid, port }],
    connections: 1,
    requests,
    durationMs: 1,
  })
  await expect(slice).rejects.toThrow(/^Wrong response to GET \/v1\/pets\/1\n/)
})

it('a comparison with a given database fills it and keeps it', async () => {
  const { url, drop } = await createDatabase(inject('postgresUrl'))
  onTestFinished(drop)
  const { selections } = choose(['--beside', url, '--only', 'postgres-create,postgres-get'])
  const [selection] = selections
  if (selection === undefined) throw new Error('There is no selection.')
  const { contestants } = await compare({ ...selection, plan: TINY }, log)
  expect(contestants.map(({ databaseUrl }) => databaseUrl)).toEqual([undefined, url])
  const [stored] = await runSql<{ count: number }>(url, 'select count(*)::int as count from pet')
  expect(stored?.count).toBeGreaterThan(TINY.size)
})

it('growth and bulk work on PostgreSQL are measured and reported', async () => {
  const [, selection] = growthSelections([1_000, 2_000])
  if (selection === undefined) throw new Error('There is no selection.')
  const growth = [await compare({ ...selection, plan: TINY }, log)]
  const { 'scale.md': page } = scaleReport(growth, await measureBulk(1_000, log), [], facts)
  expect(page).toMatch(/^\| 2,000( \| \d+\.\d{3}){7} \| \d+ \| \d+–\d+ \|$/m)
  expect(page).toMatch(/\| PostgreSQL: `export` \| 1,000 \| [\d,]+ \| \d+ \|/)
})

it('the report says how far the service is ahead of a peer', () => {
  // As fast as the service, whose figures it gets.
  const peer: Contestant = { ...service, id: 'peer', name: 'A peer', role: 'peer' }
  const measurements = measured.measurements
    .filter(({ operation }) => operation === GET)
    .flatMap((one) => (one.contestant === service ? [one, { ...one, contestant: peer }] : [one]))
  const operations = [GET]
  const beside = { ...measured, operations, contestants: [bare, service, peer], measurements }
  const { 'report.md': page } = comparisonReport([beside], [], facts)
  expect(page).toMatch(/^\| A peer \| 1\.00 \|$/m)
})

it('several processes on PostgreSQL are measured and reported with what limits them', async () => {
  const processes = [await compare({ ...processesSelection([1, 2]), plan: TINY }, log)]
  const { 'scale.md': page } = scaleReport([], [], processes, facts)
  expect(page).toMatch(/^\| processes: 2( \| \d+, [\d.]+ \([\d.]+–[\d.]+\)){3} \|$/m)
  expect(page).toMatch(/^\| processes: 2( \| \d+(\+\d+)?){3} \|$/m)
  // The model, from the CPU time of PostgreSQL, which is measured where it is on this machine.
  expect(page).toMatch(/^\| List 20( \| ([\d,]+|NaN)){4} \|$/m)
})
