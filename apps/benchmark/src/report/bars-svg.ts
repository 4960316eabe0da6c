import type { Estimate } from '../measuring/statistics.ts'
import { COLOURS, line, panelsSvg, text } from './svg.ts'

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

const [PANEL_WIDTH, NAME_WIDTH, BAR_WIDTH, ROW, HEAD] = [480, 210, 200, 22, 44]

/** Bars with error bars; a vertical line marks 1.00 where a panel reaches it. */
export function barsSvg(title: string, panels: readonly BarPanel[]): string {
  const height = HEAD + Math.max(...panels.map(({ bars }) => bars.length)) * ROW
  return panelsSvg(title, PANEL_WIDTH, height, panels.map(panelLines))
}

function panelLines({ title, bars }: BarPanel): string[] {
  const greatest = Math.max(...bars.map(({ value }) => value.high))
  const at = (value: number) => Math.round(NAME_WIDTH + (value / greatest) * BAR_WIDTH)
  const one = greatest < 1 ? [] : [line(at(1), HEAD - 14, at(1), HEAD + bars.length * ROW - 4, true)]
  const rows = bars.flatMap(({ name, colour, value: { middle, low, high } }, index) => {
    const y = HEAD + index * ROW
    const weight = `font-weight="${colour === 'service' ? 600 : 400}"`
    return [
      text(NAME_WIDTH - 8, y + 5, name, `text-anchor="end" ${weight}`),
      `<rect x="${NAME_WIDTH}" y="${y - 6}" width="${at(middle) - NAME_WIDTH}" height="14" fill="${COLOURS[colour]}"/>`,
      line(at(low), y + 1, at(high), y + 1),
      ...[at(low), at(high)].map((x) => line(x, y - 3, x, y + 5)),
      text(NAME_WIDTH + BAR_WIDTH + 8, y + 5, middle.toFixed(2), weight),
    ]
  })
  return [text(12, 16, title, 'font-weight="600"'), ...one, ...rows]
}
