import type { Report } from './comparison-report.ts'
import { DATABASE_NAMES, DATABASES } from './contestant.ts'
import { curvesSvg } from './curves-svg.ts'
import { groupBy } from './group-by.ts'
import type { GrowthPoint } from './growth.ts'
import type { Circumstances } from './machine.ts'
import { circumstancesTable, spreadText, table } from './markdown.ts'

const TITLE = 'How long a request takes while the store grows'

/** Curves, and the figures behind them. */
export function growthReport(points: readonly GrowthPoint[], circumstances: Circumstances): Report {
  const panels = DATABASES.map((database) => ({
    title: DATABASE_NAMES[database],
    curves: groupBy(
      points.filter((point) => point.database === database),
      ({ operation }) => operation,
    ).map(([name, own]) => ({ name, points: own.map(({ size, p50Ms }) => ({ size, value: p50Ms })) })),
  }))
  const page = [
    `# ${TITLE}`,
    'One client that waits for each answer: the median of its requests, in milliseconds; of all rounds the median, the lowest and the highest.',
    circumstancesTable(circumstances),
    `![${TITLE}](growth.svg)`,
    ...panels.flatMap(({ title, curves }) => {
      const sizes = curves[0]?.points.map(({ size }) => size.toLocaleString('en')) ?? []
      const rows = curves.map(({ name, points: own }) => [name, ...own.map(({ value }) => spreadText(value, 3))])
      return [`## ${title}`, table(['pets', ...sizes], rows)]
    }),
  ]
  return { 'growth.md': `${page.join('\n\n')}\n`, 'growth.svg': curvesSvg(TITLE, panels, 'ms') }
}
