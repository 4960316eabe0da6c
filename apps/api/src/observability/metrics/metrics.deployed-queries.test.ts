import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { NO_REPORTS } from '../reports.ts'
import { openMetrics } from './metrics.ts'

const ROOT = new URL('../../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const rules = (parse(read('deploy/prometheus/alerts.yml')) as Rules).groups.flatMap(
  (group) => group.rules,
)
const alerts = rules.flatMap(({ alert }) => alert ?? [])
const { panels } = JSON.parse(read('deploy/grafana/pet-store.json')) as Dashboard
const queries = [
  ...rules.map(({ alert, record, expr }) => [alert ?? record ?? '', expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** The values of each label of each series that the program exposes, by name and label. */
const exposed = new Map<string, Map<string, Set<string>>>()

beforeAll(async () => {
  // All other series exist from the start.
  const pool = { name: 'primary', busy: 1, idle: 1, waiting: 0, limit: 10 }
  const metrics = openMetrics(NO_REPORTS)
  metrics.showPools(() => [pool])
  metrics.showRequestQueue(() => ({ waiting: 0, limit: 1 }))
  metrics.showReadiness(async () => ({ database: 'ok', migrations: 'ok', process: 'ok' }))
  const { request } = metrics.log(NO_REPORTS.log)
  const entry = { requestId: 'r', method: 'GET', status: 200, durationMs: 1, isComplete: true }
  for (const route of ['/livez', '/readyz', '/v1/pets/{petId}'])
    request({ ...entry, route, keyId: 'key_kiosk' })
  // What Prometheus knows by itself: whether a target is up, and what the rules record.
  for (const name of ['up', ...rules.flatMap(({ record }) => record ?? [])]) note(name, '')
  for (const line of (await metrics.read()).split('\n')) {
    const [, name, labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name !== undefined) note(name, labels)
  }
})

function note(name: string, labels: string): void {
  const known = exposed.get(name) ?? new Map<string, Set<string>>()
  exposed.set(name, known)
  for (const [, label = '', value = ''] of `${labels},job="pet-store",instance="a"`.matchAll(
    /(\w+)="([^"]*)"/g,
  )) {
    known.set(label, (known.get(label) ?? new Set()).add(value))
  }
}

/** The names in a query, by kind of node, and whether it can be parsed. */
function namesIn(query: string): {
  names: string[]
  grouped: string[]
  matchers: string[][]
  isValid: boolean
} {
  const text = query.replaceAll('$__rate_interval', '5m')
  const found = {
    names: [] as string[],
    grouped: [] as string[],
    matchers: [] as string[][],
    isValid: true,
  }
  parser.parse(text).iterate({
    enter(node) {
      const own = text.slice(node.from, node.to)
      if (node.type.isError) found.isValid = false
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector')
        found.names.push(own)
      if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels')
        found.grouped.push(own)
      if (node.name === 'UnquotedLabelMatcher') {
        found.matchers.push([...(/^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(own) ?? [])].slice(1))
      }
    },
  })
  return found
}

describe('The queries of alerts and dashboards', () => {
  it.each(queries)(
    'a query of alerts or dashboards uses series that the program exposes: %s: %s',
    (_, query) => {
      const { names, grouped, matchers, isValid } = namesIn(query)
      expect(isValid).toBe(true)
      expect(names).not.toEqual([])
      for (const name of names) {
        const labels = exposed.get(name)
        expect([...exposed.keys()]).toContain(name)
        for (const label of grouped) expect([...(labels?.keys() ?? [])]).toContain(label)
      }
      for (const [label = '', operator, value = ''] of matchers) {
        const values = names.flatMap((name) => [...(exposed.get(name)?.get(label) ?? [])])
        // A value that is excluded must exist as well, else the exclusion is a typing error.
        const pattern = new RegExp(`^(?:${value})$`)
        expect(
          values.filter((one) =>
            ['=', '!='].includes(operator ?? '') ? one === value : pattern.test(one),
          ),
        ).not.toEqual([])
      }
    },
  )

  it('the queries of alerts and dashboards use every metric of the program', () => {
    const queried = new Set(queries.flatMap(([, query]) => namesIn(query).names))
    const own = [...exposed.keys()]
      .filter((name) => name.startsWith('pet_store_'))
      .filter((name) => !/_(?:sum|count|bucket)$/.test(name) || name.endsWith('_bucket'))
    expect(own.filter((name) => !queried.has(name))).toEqual([])
  })
})

describe('The how-to for operators', () => {
  const page = read('docs/how-to/operate.md')

  it('the how-to for operators explains every alert, and no other', () => {
    const rows = [...page.matchAll(/^\| `(PetStore\w+)` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(alerts)
  })

  it('the how-to for operators explains every metric of the program', () => {
    const rows = [...page.matchAll(/^\| `(pet_store_\w+)` \|/gm)].map(([, name]) => name)
    const own = [...exposed.keys()].filter((name) => name.startsWith('pet_store_'))
    expect(rows.sort()).toEqual(
      [...new Set(own.map((name) => name.replace(/_(?:sum|count|bucket)$/, '')))].sort(),
    )
  })
})
