import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deepPlaces, type Operation } from './operations.ts'
import type { Pinning } from './pinning.ts'
import type { Plan } from './plan.ts'

/** Statements a second of the database alone, by operation; `undefined` where pgbench is not installed. */
export type PgbenchFigures = ReadonlyMap<string, readonly number[]> | undefined

const SECONDS = 1
const CONNECTIONS = 10

/** The statements of the bare server, as pgbench scripts. */
export function scripts(size: number): Record<string, string> {
  const columns = 'select id, name, category_id, status from pet'
  return {
    list: `${columns} order by id limit 20;`,
    'list-100': `${columns} where status = 'available' order by id limit 100;`,
    'deep-page': `${columns} where id > ${deepPlaces(size)[0]} order by id limit 20;`,
    get: `\\set id random(1, ${size})\n${columns} where id = :id;`,
    create: "insert into pet (name, category_id, status) values ('Rex', 1, 'available') returning id;",
  }
}

/** Runs the statements of the operations with pgbench, which takes the place of the server on its core. */
export async function runPgbench(
  url: string,
  operations: readonly Operation[],
  { plan: { size, pgbenchRounds }, pinning }: { readonly plan: Plan; readonly pinning: Pinning },
): Promise<PgbenchFigures> {
  if (spawnSync('pgbench', ['--version']).error !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-pgbench-'))
  const figures = new Map<string, number[]>()
  for (const [operation, script] of Object.entries(scripts(size))) {
    if (!operations.some(({ id }) => id === operation)) continue
    const file = join(folder, `${operation}.sql`)
    await writeFile(file, script)
    const options = ['-n', '-M', 'prepared', '-c', String(CONNECTIONS), '-j', '1', '-T', String(SECONDS), '-f', file]
    const [command = '', ...args] = pinning.onServerCore(['pgbench', ...options, url])
    const rates: number[] = []
    for (let round = 0; round < pgbenchRounds; round += 1) {
      const { stdout } = await promisify(execFile)(command, args)
      rates.push(statementsPerSecond(stdout))
    }
    figures.set(operation, rates)
  }
  await rm(folder, { recursive: true })
  return figures
}

/** The rate in what pgbench says. */
export function statementsPerSecond(said: string): number {
  const rate = /^tps = ([0-9.]+)/m.exec(said)?.[1]
  if (rate === undefined) throw new Error(`pgbench says no rate:\n${said}`)
  return Number(rate)
}
