import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { ROOT } from '../servers/contestants.ts'
import { table } from './tables.ts'

/** The files of a report, by name. */
export type Report = Readonly<Record<string, string>>

/** What a reader must know to compare figures, or to repeat the run. */
export type Facts = Readonly<
  Record<'command' | 'date' | 'commit' | 'machine' | 'system' | 'cores', string>
>

export function factsOf(cores: string): Facts {
  const info = readFileSync('/proc/cpuinfo', 'utf8')
  const field = (name: string) =>
    new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(info)?.[1] ?? 'unknown'
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const changes = git('status', '--porcelain') === '' ? '' : ', with changes'
  return {
    command: `\`${['pnpm bench', ...process.argv.slice(2)].join(' ')}\``,
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${changes}`,
    machine:
      `${field('model name')}, family ${field('cpu family')}, model ${field('model')}, ` +
      `${cpus().length} cores`,
    system:
      `${type()} ${release()}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
      `Node ${process.version}`,
    cores,
  }
}

export function factsTable(facts: Facts): string {
  return table(['', ''], Object.entries(facts))
}
