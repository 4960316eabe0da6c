import { execFileSync } from 'node:child_process'
import { readFileSync, statfsSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { BENCHMARK, ROOT } from './contestant.ts'

/** What a reader must know to compare figures, or to repeat the run: lines of a table. */
export type Circumstances = readonly (readonly [name: string, value: string])[]

const TMPFS = 0x01021994

export function circumstances(command: string, pinning: string, date = new Date()): Circumstances {
  const [cpu] = cpus()
  return [
    ['Command', `\`${command}\``],
    ['Date', date.toISOString().slice(0, 10)],
    ['Commit', commit()],
    ['Machine', `${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['System', `${type()} ${release()}`],
    ['Cores', pinning],
    [
      'Databases on',
      statfsSync(tmpdir()).type === TMPFS ? 'memory: waiting for the disk costs nothing here' : 'a disk',
    ],
    ['Node', process.version],
    ['SQLite', sqliteVersion()],
  ]
}

/** The versions of what the contestants are made of, as `name version`. */
export function versions(): string[] {
  const { dependencies } = JSON.parse(readFileSync(join(BENCHMARK, 'peers/package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
}

function sqliteVersion(): string {
  const database = new Database(':memory:')
  const version = database.prepare<[], string>('select sqlite_version()').pluck().get()
  database.close()
  return version ?? 'unknown'
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ', with changes')
  } catch {
    return 'unknown: no git history here'
  }
}
