import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import type { Estimate } from '../measuring/statistics.ts'
import { ROOT } from '../servers/contestants.ts'

/** The files of a report, by name. */
export type Report = Readonly<Record<string, string>>

/** What a reader must know to compare figures, or to repeat the run. */
export interface Facts {
  readonly command: string
  readonly date: string
  readonly commit: string
  readonly machine: string
  readonly system: string
  readonly cores: string
}

export function factsOf(command: string, cores: string): Facts {
  const cpuInfo = readFileSync('/proc/cpuinfo', 'utf8')
  const field = (name: string) => new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpuInfo)?.[1] ?? 'unknown'
  const cpu = `${field('model name')}, family ${field('cpu family')}, model ${field('model')}`
  return {
    command: `\`${command}\``,
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${cpu}, ${cpus().length} cores`,
    system: `${type()} ${release()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
    cores,
  }
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ', with changes')
  } catch {
    return 'unknown: no git history here'
  }
}

export function factsTable(facts: Facts): string {
  return table(['', ''], Object.entries(facts))
}

/** A table; the first column is aligned left, figures right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const ruler = heads.map((_, index) => (index === 0 ? '---' : '---:'))
  return [heads, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** `0.93 (0.91–0.96)`: the middle and its confidence interval. */
export function estimateText({ middle, low, high }: Estimate, digits = 2): string {
  return `${middle.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
