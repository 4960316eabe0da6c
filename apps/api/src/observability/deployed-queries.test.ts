import { readFileSync } from 'node:fs'
import { createMemoryPets } from '@pet-store/domain/memory'
import { aNewPet } from '@pet-store/persistence-testing'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from './create-metrics.ts'

const ROOT = new URL('../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const alerts = (parse(read('deploy/prometheus/alerts.yml')) as Rules).groups.flatMap(({ rules }) => rules)
const { panels } = JSON.parse(read('deploy/grafana/pet-store.json')) as Dashboard
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
]

/** The values of each label of each series that the program exposes, by name and label. */
const exposed = new Map<string, Map<string, Set<string>>>()

beforeAll(async () => {
  // Every series shows once something has happened.
  const pool = { name: 'primary', busy: 1, idle: 1, waiting: 0, limit: 10 }
  const { observer, read: readMetrics } = createMetrics({ poolUse: () => [pool] })
  const log = observer.log({ request() {}, internalError() {} })
  for (const status of [200, 404, 500]) {
    const entry = { requestId: 'r', method: 'GET', status, durationMs: 1, isComplete: true, keyId: 'key_kiosk' }
    for (const route of ['/v1/pets/{petId}', '/livez', '/readyz']) log.request({ ...entry, route })
  }
  await observer.repository(createMemoryPets()).add(aNewPet())
  // What Prometheus knows of every target by itself.
  note('up', '')
  for (const line of (await readMetrics()).split('\n')) {
    const [, name, labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name !== undefined) note(name, labels)
  }
})

function note(name: string, labels: string): void {
  const known = exposed.get(name) ?? new Map<string, Set<string>>()
  exposed.set(name, known)
  for (const [, label = '', value = ''] of `${labels},job="pet-store",instance="a"`.matchAll(/(\w+)="([^"]*)"/g)) {
    known.set(label, (known.get(label) ?? new Set()).add(value))
  }
}

/** What a query names, by kind of node; and whether it can be read at all. */
function namesIn(query: string): { names: string[]; grouped: string[]; matchers: string[][]; isValid: boolean } {
  const text = query.replaceAll('$__rate_interval', '5m')
  const found = { names: [] as string[], grouped: [] as string[], matchers: [] as string[][], isValid: true }
  parser.parse(text).iterate({
    enter(node) {
      const own = text.slice(node.from, node.to)
      if (node.type.isError) found.isValid = false
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') found.names.push(own)
      if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels') found.grouped.push(own)
      if (node.name === 'UnquotedLabelMatcher') {
        found.matchers.push([...(/^(\w+)\s*(=~|!~|=)\s*"(.*)"$/.exec(own) ?? [])].slice(1))
      }
    },
  })
  return found
}

describe('What is asked of the metrics', () => {
  it.each(queries)('by %s is what the program tells: %s', (_, query) => {
    const { names, grouped, matchers, isValid } = namesIn(query)
    expect(isValid).toBe(true)
    expect(names).not.toEqual([])
    for (const name of names) {
      const labels = exposed.get(name)
      expect([...exposed.keys()]).toContain(name)
      for (const label of grouped) expect([...(labels?.keys() ?? [])]).toContain(label)
      for (const [label = '', operator, value = ''] of matchers) {
        const values = [...(labels?.get(label) ?? [])]
        // What is left out has to be there as well, else leaving it out is a slip of the pen.
        const pattern = new RegExp(`^(?:${value})$`)
        expect(values.filter((one) => (operator === '=' ? one === value : pattern.test(one)))).not.toEqual([])
      }
    }
  })

  it('covers every metric of our own', () => {
    const asked = new Set(queries.flatMap(([, query]) => namesIn(query).names))
    const own = [...exposed.keys()]
      .filter((name) => name.startsWith('pet_store_'))
      .filter((name) => !/_(?:sum|count|bucket)$/.test(name) || name.endsWith('_bucket'))
    expect(own.filter((name) => !asked.has(name))).toEqual([])
  })
})

describe('The page for operators', () => {
  const page = read('docs/how-to/operate.md')

  it('says of every alert what it means, and of no other', () => {
    const rows = [...page.matchAll(/^\| `(PetStore\w+)` \|/gm)].map(([, name]) => name)
    expect(rows).toEqual(alerts.map(({ alert }) => alert))
  })

  it('names every metric of our own', () => {
    const rows = [...page.matchAll(/^\| `(pet_store_\w+)` \|/gm)].map(([, name]) => name)
    const own = [...exposed.keys()].filter((name) => name.startsWith('pet_store_'))
    expect(rows.sort()).toEqual([...new Set(own.map((name) => name.replace(/_(?:sum|count|bucket)$/, '')))].sort())
  })
})
