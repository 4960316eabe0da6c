import { COLOURS, line, panelsSvg, text } from './svg.ts'

/** A curve over some rates: a full line for the 99th percentile, a dashed one for the median. */
interface CurveLine {
  readonly name: string
  readonly colour: keyof typeof COLOURS
  readonly points: readonly { readonly requestsPerSecond: number; readonly p50Ms: number; readonly p99Ms: number }[]
}

export interface CurvePanel {
  readonly title: string
  readonly lines: readonly CurveLine[]
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 330, 50, 460, 30, 250]
const MOST_MS = 300
const LEAST_MS = 0.1

/** Latency, on a logarithmic scale, over throughput. */
export function curvesSvg(title: string, panels: readonly CurvePanel[]): string {
  return panelsSvg(title, WIDTH, HEIGHT, panels.map(panelLines))
}

function panelLines({ title, lines }: CurvePanel): string[] {
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map((point) => point.requestsPerSecond)))
  const x = (rate: number) => Math.round(LEFT + (rate / most) * (RIGHT - LEFT))
  const y = (ms: number) => {
    const part = Math.log(Math.min(Math.max(ms, LEAST_MS), MOST_MS) / LEAST_MS) / Math.log(MOST_MS / LEAST_MS)
    return Math.round(BOTTOM - part * (BOTTOM - TOP))
  }
  const grid = [0.1, 1, 10, 100].flatMap((ms) => [
    line(LEFT, y(ms), RIGHT, y(ms), true),
    text(LEFT - 6, y(ms) + 4, `${ms} ms`, 'text-anchor="end"'),
  ])
  const rates = [0, 0.5, 1].map((part) =>
    text(x(most * part), BOTTOM + 18, Math.round(most * part).toLocaleString('en'), 'text-anchor="middle"'),
  )
  const drawn = lines.flatMap(({ name, colour, points }, index) => {
    const path = (figure: 'p50Ms' | 'p99Ms', dashes: string) =>
      `<polyline points="${points.map((point) => `${x(point.requestsPerSecond)},${y(point[figure])}`).join(' ')}" fill="none" stroke="${COLOURS[colour]}" stroke-width="2"${dashes}/>`
    const row = BOTTOM + 38 + index * 16
    return [
      path('p50Ms', ' stroke-dasharray="5 4"'),
      path('p99Ms', ''),
      `<rect x="${LEFT}" y="${row - 9}" width="14" height="10" fill="${COLOURS[colour]}"/>`,
      text(LEFT + 20, row, name),
    ]
  })
  return [text(12, 16, title, 'font-weight="600"'), ...grid, ...rates, ...drawn]
}
