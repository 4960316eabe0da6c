import type { Estimate } from '../measuring/statistics.ts'
import type { Contestant } from '../servers/contestants.ts'
import { COLOURS, drawing, line, type Shape, shape, text } from './svg.ts'

/** One bar: a ratio and its confidence interval. */
export interface Bar {
  readonly name: string
  readonly role: Contestant['role']
  readonly ratio: Estimate
}

export interface BarPanel {
  readonly title: string
  readonly bars: readonly Bar[]
}

const PANEL_WIDTH = 480
const NAME_WIDTH = 210
const VALUE_WIDTH = 50
const BAR_WIDTH = PANEL_WIDTH - NAME_WIDTH - VALUE_WIDTH - 20
const ROW = 22
const HEAD = 44
const COLUMNS = 2
const TOP = 40

/** Bars with error bars, two panels in a row; a vertical line marks 1.00, the contestant that the others are compared with. */
export function barsSvg(title: string, panels: readonly BarPanel[]): string {
  const rows = Math.max(...panels.map(({ bars }) => bars.length))
  const panelHeight = HEAD + rows * ROW
  const height = TOP + Math.ceil(panels.length / COLUMNS) * panelHeight + 10
  const shapes = panels.map((panel, index) => {
    const x = (index % COLUMNS) * PANEL_WIDTH
    const y = TOP + Math.floor(index / COLUMNS) * panelHeight
    return shape('g', { transform: `translate(${x} ${y})` }, panelShapes(panel).join('\n'))
  })
  const heading = text(12, 26, title, { 'font-size': 16, 'font-weight': 600 })
  return drawing(PANEL_WIDTH * COLUMNS, height, title, [heading, ...shapes])
}

function panelShapes({ title, bars }: BarPanel): Shape[] {
  const greatest = Math.max(1, ...bars.map(({ ratio }) => ratio.high))
  const at = (ratio: number) => NAME_WIDTH + (ratio / greatest) * BAR_WIDTH
  const one = line(at(1), HEAD - 14, at(1), HEAD + bars.length * ROW - 4, COLOURS.faint)
  const rows = bars.flatMap(({ name, role, ratio }, index) => {
    const y = HEAD + index * ROW
    const weight = role === 'service' ? 600 : 400
    return [
      text(NAME_WIDTH - 8, y + 5, name, { 'text-anchor': 'end', 'font-weight': weight }),
      shape('rect', {
        x: NAME_WIDTH,
        y: y - 6,
        width: at(ratio.median) - NAME_WIDTH,
        height: 14,
        fill: COLOURS[role],
      }),
      line(at(ratio.low), y + 1, at(ratio.high), y + 1, COLOURS.ink),
      line(at(ratio.low), y - 3, at(ratio.low), y + 5, COLOURS.ink),
      line(at(ratio.high), y - 3, at(ratio.high), y + 5, COLOURS.ink),
      text(at(greatest) + 8, y + 5, ratio.median.toFixed(2), { 'font-weight': weight }),
    ]
  })
  return [text(12, 16, title, { 'font-weight': 600 }), one, ...rows]
}
