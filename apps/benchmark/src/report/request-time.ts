import { readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@pet-store/testing'
import { compare } from '../comparison/comparison.ts'
import { FULL } from '../comparison/plan.ts'
import { middleOf } from '../measuring/rotation.ts'
import { GET, LIST } from '../requests/operations.ts'
import { DATABASE_NAMES, DATABASES, SERVICE } from '../servers/contestants.ts'
import { type Facts, factsTable, type Report } from './facts.ts'
import { table } from './tables.ts'

/** What a request passes, and the files that do it; the first pattern that matches counts. */
const STAGES: Readonly<Record<string, RegExp>> = {
  idle: /^\(idle\)$/,
  parse:
    /node:_http_(?!outgoing)|http-express\/src\/server|request\/(?:open|framing|request-|client-)/,
  key: /packages\/access|request\/(?:api-key|scope)/,
  'query and map': /packages\/persistence|better-sqlite3|\/pg[\w-]*\//,
  serialise: /wire\/pet-json/,
  'log line': /pino|observability\/(?:log|out)/,
  metrics: /prom-client|-metrics\.ts/,
  write: /node:_http_outgoing|src\/response\//,
  route: /\/router\/|path-to-regexp|zod|packages\/(?:http-express|domain)/,
  'garbage collection': /^\(garbage collector\)$/,
  rest: /^\(/,
}

/**
 * Measures the service twice in turn: without a profiler, which takes time itself, and with that of
 * Node.
 */
export async function requestTimeReport(
  facts: Facts,
  log: (line: string) => void,
): Promise<Report> {
  const heads = ['']
  const rows = [...Object.keys(STAGES).slice(1), 'in all'].map((stage) => [stage])
  for (const [database, operation] of DATABASES.flatMap((one) =>
    [LIST, GET].map((each) => [one, each] as const),
  )) {
    const folder = await temporaryFolder()
    const program = [
      '--cpu-prof',
      '--cpu-prof-interval',
      '100',
      '--cpu-prof-dir',
      folder,
      ...SERVICE.program,
    ]
    const contestants = [SERVICE, { ...SERVICE, program }]
    const { measurements } = await compare(
      { database, operations: [operation], contestants, plan: FULL },
      log,
    )
    const [micros = Number.NaN] = measurements.map(({ series }) =>
      middleOf(series.slices, 'cpuMicroseconds'),
    )
    const samples = samplesByStage(folder)
    const all = samples.filter((stage) => stage !== 'idle').length
    heads.push(`${DATABASE_NAMES[database]}, ${operation.title.toLowerCase()}`)
    for (const row of rows) {
      const part =
        row[0] === 'in all' ? 1 : samples.filter((stage) => stage === row[0]).length / all
      row.push(`${(part * micros).toFixed(1)} (${(part * 100).toFixed(0)}%)`)
    }
  }
  const meaning =
    'CPU time in microseconds. A function counts for the stage of its file, what Node and V8 ' +
    'do for whoever calls it.'
  const page = [
    '# Where the time of a request goes',
    factsTable(facts),
    meaning,
    table(heads, rows),
  ]
  return { 'request-time.md': `${page.join('\n\n')}\n` }
}

/**
 * The stage of each sample in the second half of the profile in a folder; the first half is start
 * and warm-up.
 */
function samplesByStage(folder: string): (string | undefined)[] {
  const { nodes, samples } = JSON.parse(
    readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8'),
  )
  const stages = new Map<number, string | undefined>()
  const maps = new Map<string, SourceMap>()
  // A node comes before its children.
  for (const { id, callFrame, children = [] } of nodes) {
    const file = sourceOf(callFrame, maps)
    const stage = Object.keys(STAGES).find((name) => STAGES[name]?.test(file)) ?? stages.get(id)
    for (const node of [id, ...children]) stages.set(node, stage)
  }
  return samples.slice(samples.length / 2).map((id: number) => stages.get(id))
}

/**
 * The source file of a function, even of one in a bundle; for what is not a function its name, such
 * as `(idle)`.
 */
function sourceOf(
  { functionName, url, lineNumber, columnNumber }: Frame,
  maps: Map<string, SourceMap>,
): string {
  if (!url.includes('/dist/')) return url || functionName
  const map =
    maps.get(url) ?? new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')))
  maps.set(url, map)
  const entry = map.findEntry(lineNumber, columnNumber)
  return 'originalSource' in entry ? entry.originalSource : url
}

type Frame = Readonly<
  Record<'functionName' | 'url', string> & Record<'lineNumber' | 'columnNumber', number>
>
