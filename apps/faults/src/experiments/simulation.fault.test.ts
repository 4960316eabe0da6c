import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { report, size } from '../harness/experiment.ts'
import { runPostgresWorld } from '../simulation/world/postgres-world.ts'
import type { WorldResult } from '../simulation/world/run-in-virtual-time.ts'
import { runSqliteWorld } from '../simulation/world/sqlite-world.ts'

vi.mock('pg', async (importOriginal) => {
  const { simulatedPg } = await import('../simulation/drivers/simulated-pg.ts')
  return simulatedPg(await importOriginal())
})

vi.mock('better-sqlite3', async (importOriginal) => {
  const { simulatedSqlite } = await import('../simulation/drivers/simulated-sqlite.ts')
  return simulatedSqlite(await importOriginal())
})

/** One seed, whose trail is printed. Default: as many seeds as the form has. */
const SEED = process.env['SIMULATION_SEED']
/**
 * What happens in three of sixty worlds on PostgreSQL happens in thirty too. A world on SQLite
 * takes half of the time, and only one of sixty shows a wrong outcome of a commit.
 */
const SHORT = { PostgreSQL: 30, SQLite: 60 }
/** After this many failed worlds the run ends. */
const MAX_FAILED = 10
/** Seeds whose worlds are run once more, and what happened in those of the other tests. */
const REPEATED = [3, 5, 8]
const trails = new Map<string, readonly string[]>()

// Worlds make errors all the time: their stacks take a sixth of the CPU time, and only one seed by
// itself shows them.
const { stackTraceLimit } = Error
beforeAll(() => {
  if (SEED === undefined) Error.stackTraceLimit = 0
})
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit
})

/** Runs one world after the other. Returns what was wrong, and how to repeat it. */
async function runWorlds(
  name: keyof typeof SHORT,
  run: (seed: number) => Promise<WorldResult>,
): Promise<readonly string[]> {
  const length = Number(process.env['SIMULATION_SEEDS'] ?? size(SHORT[name], 10_000))
  const seeds = SEED === undefined ? Array.from({ length }, (_, seed) => seed) : [Number(SEED)]
  const failed: string[] = []
  let pets = 0
  for (const seed of seeds) {
    const result = await run(seed)
    pets += result.pets
    if (REPEATED.includes(seed)) trails.set(`${name} ${seed}`, result.trail)
    if (SEED !== undefined) console.log(result.trail.join('\n'))
    if (result.violations.length === 0) continue
    const repeat = `SIMULATION_SEED=${seed} pnpm test:faults simulation`
    failed.push(`${repeat}: ${result.violations.slice(0, 3).join('; ').slice(0, 500)}`)
    if (failed.length === MAX_FAILED) break
  }
  report(`simulation on ${name}`, { worlds: seeds.length, pets })
  return failed
}

it('clients are told the truth in every simulated world on PostgreSQL', async () => {
  expect(await runWorlds('PostgreSQL', runPostgresWorld)).toEqual([])
})

it('clients are told the truth in every simulated world on SQLite', async () => {
  expect(await runWorlds('SQLite', runSqliteWorld)).toEqual([])
})

it.each([
  ['PostgreSQL', runPostgresWorld],
  ['SQLite', runSqliteWorld],
])('the same seed makes the same world on %s', async (name, run) => {
  for (const seed of REPEATED) {
    const trail = trails.get(`${name} ${seed}`) ?? (await run(seed)).trail
    expect((await run(seed)).trail).toEqual(trail)
  }
})
