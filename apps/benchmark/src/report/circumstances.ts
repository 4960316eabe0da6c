import { execFileSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem, type } from 'node:os'
import Database from 'better-sqlite3'
import { ROOT } from '../servers/contestants.ts'

/** What a reader must know to compare figures, or to repeat the run: rows of a table. */
export type Circumstances = readonly (readonly [name: string, value: string])[]

const TMPFS = 0x01021994

export function circumstances(command: string, cores: string): Circumstances {
  const [cpu] = cpus()
  return [
    ['Command', `\`${command}\``],
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Commit', commit()],
    ['Machine', `${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['System', `${type()} ${release()}`],
    ['Cores', cores],
    [
      'Databases on',
      statfsSync(tmpdir()).type === TMPFS ? 'memory: waiting for the disk costs nothing here' : 'a disk',
    ],
    ['Node', process.version],
    ['SQLite', sqliteVersion()],
  ]
}

export function circumstancesTable(rows: Circumstances): string {
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n')
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
