import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, until } from '@pet-store/testing'
import { freePort } from '@pet-store/testing-postgres'
import { onTestFinished } from 'vitest'

const DEPLOYED = new URL('../../../../deploy/prometheus/', import.meta.url)

/**
 * By how much every duration of the shipped rules, and the time between two evaluations, is
 * shortened: ten minutes become half a minute. Nothing else of the rules is changed.
 */
const SPEED = 20
const EVALUATION_MS = 60_000 / SPEED
/** Often enough for the shortest range. */
const SCRAPE_MS = 1_000

/** An alert of the rules. The severity `page` is for alerts that need a person at once. */
interface FiredAlert {
  readonly name: string
  readonly severity: string
}

/** A running Prometheus with the shipped rules and shorter durations. */
export interface Prometheus {
  /** Every alert that has fired so far. */
  fired(): Promise<readonly FiredAlert[]>
  /** The value of a query with one result; `undefined` while it has none. */
  value(query: string): Promise<number | undefined>
  /** Resolves when the rules have been evaluated `times` more times. */
  evaluate(times: number): Promise<void>
}

/**
 * Starts a Prometheus that scrapes instances with these metrics ports. Resolves to `undefined` if
 * Prometheus is not installed.
 */
export async function startPrometheus(
  metricsPorts: readonly number[],
): Promise<Prometheus | undefined> {
  const folder = await temporaryFolder()
  const port = await freePort()
  const rules = join(folder, 'alerts.yml')
  await writeFile(rules, 'groups: []')
  await writeFile(join(folder, 'prometheus.yml'), configuration(metricsPorts, port))
  const args = [
    `--config.file=${folder}/prometheus.yml`,
    `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
    `--query.lookback-delta=${300_000 / SPEED}ms`,
    '--log.level=error',
  ]
  const program = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const isInstalled = await Promise.race([
    once(program, 'spawn').then(() => true),
    once(program, 'error').then(() => false),
  ])
  if (!isInstalled) return undefined
  onTestFinished(() => void program.kill('SIGKILL'))

  async function query(text: string): Promise<readonly Result[]> {
    const parameters = new URLSearchParams({ query: text })
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${parameters}`)
    return ((await response.json()) as { data: { result: Result[] } }).data.result
  }
  async function value(text: string): Promise<number | undefined> {
    const [result] = await query(text)
    return result === undefined ? undefined : Number(result.value[1])
  }
  // The two groups are evaluated one after the other, so the lower number counts.
  const evaluations = async () =>
    (await value('min(prometheus_rule_group_iterations_total)').catch(() => undefined)) ?? 0
  const prometheus: Prometheus = {
    value,
    async fired() {
      const results = await query(FIRED)
      return results.map(({ metric: { alertname = '', severity = '' } }) => ({
        name: alertname,
        severity,
      }))
    },
    async evaluate(times) {
      const before = await evaluations()
      await until('the rules are evaluated', async () => (await evaluations()) >= before + times)
    },
  }
  // The rules are loaded only when all instances are scraped: the seconds until then would be
  // minutes without an instance to these rules.
  await until('all are scraped', async () => {
    const up = await value('sum(up{job="pet-store"})').catch(() => undefined)
    return up === metricsPorts.length
  })
  await writeFile(rules, faster(await readFile(new URL('alerts.yml', DEPLOYED), 'utf8')))
  program.kill('SIGHUP')
  await prometheus.evaluate(1)
  return prometheus
}

const FIRED = 'max by (alertname, severity) (max_over_time(ALERTS{alertstate="firing"}[1h]))'

interface Result {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

/**
 * The configuration. The shipped one finds instances by name; this one has their ports, and scrapes
 * Prometheus itself, whose metrics tell how often the rules were evaluated.
 */
function configuration(metricsPorts: readonly number[], ownPort: number): string {
  const targets = JSON.stringify(metricsPorts.map((port) => `127.0.0.1:${port}`))
  return `
global: { scrape_interval: ${SCRAPE_MS}ms, evaluation_interval: ${EVALUATION_MS}ms }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: pet-store
    static_configs: [{ targets: ${targets} }]
  - job_name: prometheus
    static_configs: [{ targets: ["127.0.0.1:${ownPort}"] }]
`
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Shortens ranges, offsets and `for:`, which are all in minutes, hours or days. */
function faster(rules: string): string {
  return rules.replace(
    /(\[|offset |for: )(\d+)([mhd])\b/g,
    (_, before: string, count: string, unit: string) =>
      `${before}${(Number(count) * (UNIT_MS[unit] ?? 0)) / SPEED}ms`,
  )
}
