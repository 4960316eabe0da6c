import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { measureBulk } from './bulk.ts'
import { expectSameBytes, writeBulkFiles } from './bulk-files.ts'
import { runProgram } from './program-run.ts'

const pinning = { description: 'not pinned', onServerCore: (command: readonly string[]) => command }
const PETS = 500

describe('bulk work', () => {
  beforeEach((context) => {
    if (!existsSync('/proc/self/stat')) context.skip('needs /proc, which only Linux has')
  })

  it('is done on both databases, ours and in their own ways, with the same pets', async () => {
    const { measurements, starts } = await measureBulk({ pets: PETS, rounds: 1, pinning, say: () => {} })

    const titles = (database: string) => measurements.filter((job) => job.database === database).map((job) => job.title)
    const jobs = ['import FILE.ndjson', 'export --format ndjson', 'import FILE.csv', 'export --format csv']
    expect(titles('sqlite')).toEqual([...jobs, 'copy --from postgres:… --to sqlite:…'])
    expect(titles('postgres')).toEqual([...jobs, 'copy --from sqlite:… --to postgres:…'])
    for (const { seconds, peakMiB } of [...starts, ...measurements.flatMap(({ ours, own }) => [...ours, ...own])]) {
      expect(seconds).toBeGreaterThan(0)
      // In MiB: a Node of 10 would be a wrong unit, and so would one of 10,000.
      expect(peakMiB).toSatisfy((mib: number) => mib > 10 && mib < 10_000)
    }
  }, 120_000)

  it('is stopped by a file that differs in one line', async () => {
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

  it('is stopped by a program that fails, with what it said', async () => {
    const run = runProgram({ program: ['-e', 'console.error("no room"); process.exit(3)'], databaseUrl: '', pinning })
    await expect(run).rejects.toThrow(/fails:\nno room/)
  })
})
