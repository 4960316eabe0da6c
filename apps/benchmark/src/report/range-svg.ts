/** Figures on several machines: a bar ends at the lowest, a line reaches to the highest. */
export interface RangePanel {
  readonly title: string
  readonly bars: readonly Readonly<{ name: string; isOurs: boolean; low: number; high: number }>[]
}

const OURS = '#c2410c'
const OTHERS = '#93c5fd'
const INK = '#1c1917'
const FAINT = '#d6d3d1'
const PANEL_WIDTH = 480
const NAME_WIDTH = 190
const BAR_WIDTH = 190
const ROW = 22
const HEAD = 44
const TITLE = 40

/** Panels, two in a row; a vertical line marks 1.00 in each. */
export function rangeSvg(title: string, panels: readonly RangePanel[]): string {
  const panelHeight = HEAD + Math.max(...panels.map(({ bars }) => bars.length)) * ROW
  const width = PANEL_WIDTH * 2
  const height = TITLE + Math.ceil(panels.length / 2) * panelHeight + 10
  const placed = panels.map((panel, index) => {
    const x = (index % 2) * PANEL_WIDTH
    const y = TITLE + Math.floor(index / 2) * panelHeight
    return `<g transform="translate(${x} ${y})">\n${panelLines(panel).join('\n')}\n</g>`
  })
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`
  const font = 'font-family="system-ui, sans-serif" font-size="12"'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${font} role="img">
<title>${escaped(title)}</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${text(12, 26, title, 'font-size="13" font-weight="600"')}
${placed.join('\n')}
</svg>
`
}

function panelLines({ title, bars }: RangePanel): string[] {
  const highest = Math.max(1, ...bars.map(({ high }) => high))
  const at = (value: number) => Math.round(NAME_WIDTH + (value / highest) * BAR_WIDTH)
  const rows = bars.flatMap(({ name, isOurs, low, high }, index) => {
    const y = HEAD + index * ROW
    const weight = `font-weight="${isOurs ? 600 : 400}"`
    const figures = [...new Set([low.toFixed(2), high.toFixed(2)])].join('–')
    return [
      text(NAME_WIDTH - 8, y + 5, name, `text-anchor="end" ${weight}`),
      `<rect x="${NAME_WIDTH}" y="${y - 6}" width="${at(low) - NAME_WIDTH}" height="14" ` +
        `fill="${isOurs ? OURS : OTHERS}"/>`,
      line(at(low), y + 1, at(high), y + 1, INK),
      line(at(high), y - 3, at(high), y + 5, INK),
      text(NAME_WIDTH + BAR_WIDTH + 8, y + 5, figures, weight),
    ]
  })
  const one = line(at(1), HEAD - 14, at(1), HEAD + bars.length * ROW - 4, FAINT)
  return [text(12, 16, title, 'font-weight="600"'), one, ...rows]
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x}" y="${y}" fill="${INK}" ${attributes}>${escaped(words)}</text>`
}

function line(x1: number, y1: number, x2: number, y2: number, colour: string | undefined): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${colour}"/>`
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
