import type { Estimate } from '../measuring/statistics.ts'

/** One bar: a figure and its confidence interval. */
export interface Bar {
  readonly name: string
  readonly colour: keyof typeof COLOURS
  readonly value: Estimate
}

export interface BarPanel {
  readonly title: string
  readonly bars: readonly Bar[]
}

const COLOURS = { service: '#c2410c', ceiling: '#57534e', peer: '#93c5fd' } as const
const [INK, FAINT] = ['#1c1917', '#d6d3d1']
const PANEL_WIDTH = 480
const NAME_WIDTH = 210
const BAR_WIDTH = 200
const ROW = 22
const HEAD = 44
const COLUMNS = 2
const TOP = 40

/** Bars with error bars, two panels in a row; a vertical line marks 1.00 where a panel reaches it. */
export function barsSvg(title: string, panels: readonly BarPanel[]): string {
  const panelHeight = HEAD + Math.max(...panels.map(({ bars }) => bars.length)) * ROW
  const width = PANEL_WIDTH * COLUMNS
  const height = TOP + Math.ceil(panels.length / COLUMNS) * panelHeight + 10
  const placed = panels.map((panel, index) => {
    const [x, y] = [(index % COLUMNS) * PANEL_WIDTH, TOP + Math.floor(index / COLUMNS) * panelHeight]
    return `<g transform="translate(${x} ${y})">\n${panelLines(panel).join('\n')}\n</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${text(12, 26, title, 'font-size="16" font-weight="600"')}
${placed.join('\n')}
</svg>
`
}

function panelLines({ title, bars }: BarPanel): string[] {
  const greatest = Math.max(...bars.map(({ value }) => value.high))
  const at = (value: number) => Math.round(NAME_WIDTH + (value / greatest) * BAR_WIDTH)
  const one = greatest < 1 ? [] : [line(at(1), HEAD - 14, at(1), HEAD + bars.length * ROW - 4, FAINT)]
  const rows = bars.flatMap(({ name, colour, value: { median, low, high } }, index) => {
    const y = HEAD + index * ROW
    const weight = `font-weight="${colour === 'service' ? 600 : 400}"`
    return [
      text(NAME_WIDTH - 8, y + 5, name, `text-anchor="end" ${weight}`),
      `<rect x="${NAME_WIDTH}" y="${y - 6}" width="${at(median) - NAME_WIDTH}" height="14" fill="${COLOURS[colour]}"/>`,
      line(at(low), y + 1, at(high), y + 1),
      ...[at(low), at(high)].map((x) => line(x, y - 3, x, y + 5)),
      text(NAME_WIDTH + BAR_WIDTH + 8, y + 5, median.toFixed(2), weight),
    ]
  })
  return [text(12, 16, title, 'font-weight="600"'), ...one, ...rows]
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x}" y="${y}" fill="${INK}" ${attributes}>${escaped(words)}</text>`
}

function line(x1: number, y1: number, x2: number, y2: number, stroke = INK): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${stroke}"/>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
