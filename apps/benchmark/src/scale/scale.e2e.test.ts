import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { runProgram } from '../servers/program-run.ts'
import { measureBulk } from './bulk.ts'
import { expectSameBytes, writeBulkFiles } from './bulk-files.ts'
import { measureProcesses } from './processes.ts'
import { scaleReport } from './scale-report.ts'

const PETS = 500

beforeEach((context) => {
  if (!existsSync('/proc/self/schedstat')) context.skip('needs /proc, which only Linux has')
})

it('moves the same pets by our commands and in the own ways of both databases, and reports the rates', async () => {
  const bulk = await measureBulk(PETS, 1, () => {})

  const titles = (database: string) =>
    bulk.measurements.filter((measurement) => measurement.database === database).map(({ title }) => title)
  const commands = ['import FILE.ndjson', 'export --format ndjson', 'import FILE.csv', 'export --format csv']
  expect(titles('sqlite')).toEqual([...commands, 'copy --from postgres:… --to sqlite:…'])
  expect(titles('postgres')).toEqual([...commands, 'copy --from sqlite:… --to postgres:…'])
  for (const { seconds, peakMiB } of bulk.measurements.flatMap(({ ours, own }) => [...ours, ...own])) {
    expect(seconds).toBeGreaterThan(0)
    // In MiB: a Node of 10 would be a wrong unit, and so would one of 10,000.
    expect(peakMiB).toSatisfy((mib: number) => mib > 10 && mib < 10_000)
  }
  const { 'scale.md': page = '' } = scaleReport({ bulk }, [['Commit', 'abc']])
  expect(page).toContain('500 pets, by the built program')
  expect(page).toContain('| `import FILE.csv` |')
  expect(page).not.toContain('NaN')
})

it('reports the memory of the service with each number of pets', () => {
  const memory = [{ database: 'postgres', size: 10_000_000, restMiB: 81.2, peakMiB: 150.6 }] as const
  const { 'scale.md': page = '' } = scaleReport({ growth: { points: [], memory } }, [])
  expect(page).toContain('| PostgreSQL | 10,000,000 | 81 | 151 |')
})

it('rejects a file that differs in one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-bulk-'))
  try {
    const { csv } = await writeBulkFiles(folder, PETS)
    await expectSameBytes(csv.path, csv, 'export')
    await appendFile(csv.path, 'Rex,1,\n')
    await expect(expectSameBytes(csv.path, csv, 'export')).rejects.toThrow('export is wrong')
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('rejects with the output of a program that fails', async () => {
  const run = runProgram({ program: ['-e', 'console.error("no room"); process.exit(3)'], databaseUrl: '' })
  await expect(run).rejects.toThrow(/fails:\nno room/)
})

it('measures several processes on one database, and reports them', async () => {
  const plan = { size: 2_000, processes: [1, 2], rounds: 1, sliceMs: 50, warmUpMs: 50 }
  const processes = await measureProcesses(plan, () => {})
  expect(processes.measurements.map((measurement) => measurement.processes)).toEqual([1, 2, 1, 2, 1, 2])
  const { 'scale.md': page = '' } = scaleReport({ processes }, [])
  expect(page.match(/^\| .* \| 2 \| \d+ /gm)).toHaveLength(3)
  // The model, from the CPU time of PostgreSQL, which is measured where it is on this machine.
  expect(page).toMatch(/^\| List 20 \| [\d,]+ \| ([\d,]+ \| [\d.]+|unknown \| unknown) \|/m)
})
