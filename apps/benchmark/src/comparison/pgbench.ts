import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ASCII_STATUS } from '../requests/data-set.ts'
import type { Operation } from '../requests/operations.ts'
import { onServerCore } from '../servers/pinning.ts'
import type { Plan } from './plan.ts'

/** Statements per second of the database alone, by operation. */
export type PgbenchRates = ReadonlyMap<string, readonly number[]>

const SECONDS = 1
const CONNECTIONS = 10

/** The statements of the bare server, as pgbench scripts. */
function scripts(size: number): Record<string, string> {
  const columns = 'select id, name, category_id, status from pet'
  return {
    list: `${columns} order by id limit 20;`,
    page: `${columns} where id > ${Math.floor(size * 0.7)} order by id limit 20;`,
    'list-100': `${columns} where status = '${ASCII_STATUS}' order by id limit 100;`,
    get: `\\set id random(1, ${size})\n${columns} where id = :id;`,
    create: "insert into pet (name, category_id, status) values ('Rex', 1, 'available') returning id;",
  }
}

/** Runs the statements with pgbench in the server's place; `undefined` where pgbench is not installed. */
export async function runPgbench(
  url: string,
  operations: readonly Operation[],
  { size, pgbenchRounds }: Plan,
): Promise<PgbenchRates | undefined> {
  if (spawnSync('pgbench', ['--version']).error !== undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'pet-store-pgbench-'))
  const rates = new Map<string, number[]>()
  for (const [operation, script] of Object.entries(scripts(size))) {
    if (!operations.some(({ id }) => id === operation)) continue
    const file = join(folder, `${operation}.sql`)
    await writeFile(file, script)
    const options = ['-n', '-M', 'prepared', '-c', String(CONNECTIONS), '-j', '1', '-T', String(SECONDS), '-f', file]
    const [command = '', ...args] = onServerCore(['pgbench', ...options, url])
    const measured: number[] = []
    for (let round = 0; round < pgbenchRounds; round += 1) {
      const { stdout } = await promisify(execFile)(command, args)
      const rate = /^tps = ([0-9.]+)/m.exec(stdout)?.[1]
      if (rate === undefined) throw new Error(`The output of pgbench has no rate:\n${stdout}`)
      measured.push(Number(rate))
    }
    rates.set(operation, measured)
  }
  await rm(folder, { recursive: true })
  return rates
}
