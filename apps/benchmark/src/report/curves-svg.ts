import type { Estimate } from '../measuring/statistics.ts'
import { COLOURS, drawing, line, type Shape, shape, text } from './svg.ts'

/** Values over sizes. */
interface Curve {
  readonly name: string
  readonly points: readonly { readonly size: number; readonly value: Estimate }[]
}

export interface CurvePanel {
  readonly title: string
  readonly curves: readonly Curve[]
}

const WIDTH = 480
const HEIGHT = 330
const LEFT = 50
const RIGHT = 20
const TOP = 80
const BOTTOM = 40
const STROKES = ['#c2410c', '#1d4ed8', '#15803d', '#7e22ce', '#57534e']

/** Curves with error bars, a panel beside the other; sizes on a logarithmic scale, values from 0 on. */
export function curvesSvg(title: string, panels: readonly CurvePanel[], unit: string): string {
  const names = [...new Set(panels.flatMap(({ curves }) => curves.map(({ name }) => name)))]
  const legend = names.flatMap((name, index) => {
    const x = 12 + index * 185
    return [line(x, 44, x + 18, 44, strokeOf(index), 2), text(x + 24, 48, name)]
  })
  const drawn = panels.map((panel, index) =>
    shape('g', { transform: `translate(${index * WIDTH} 0)` }, panelShapes(panel, names, unit).join('\n')),
  )
  const heading = text(12, 26, title, { 'font-size': 16, 'font-weight': 600 })
  return drawing(WIDTH * panels.length, HEIGHT, title, [heading, ...legend, ...drawn])
}

function panelShapes({ title, curves }: CurvePanel, names: readonly string[], unit: string): Shape[] {
  const points = curves.flatMap((curve) => curve.points)
  const sizes = [...new Set(points.map(({ size }) => size))].sort((one, other) => one - other)
  const [smallest = 1] = sizes
  const decades = Math.log10((sizes.at(-1) ?? 10) / smallest) || 1
  const greatest = Math.max(...points.map(({ value }) => value.high))
  const bottom = HEIGHT - BOTTOM
  const x = (size: number) => LEFT + (Math.log10(size / smallest) / decades) * (WIDTH - LEFT - RIGHT - 20)
  const y = (value: number) => bottom - (value / greatest) * (bottom - TOP)

  const axes = [
    text(LEFT, TOP - 10, `${title}, ${unit}`, { 'font-weight': 600 }),
    line(LEFT, bottom, WIDTH - RIGHT, bottom, COLOURS.ink),
    ...[0, 0.5, 1].flatMap((part) => [
      line(LEFT, y(greatest * part), WIDTH - RIGHT, y(greatest * part), COLOURS.faint),
      text(LEFT - 6, y(greatest * part) + 4, (greatest * part).toFixed(2), { 'text-anchor': 'end' }),
    ]),
    ...sizes.map((size) => text(x(size), bottom + 18, shortNumber(size), { 'text-anchor': 'middle' })),
  ]
  const drawn = curves.flatMap(({ name, points: own }) => {
    const stroke = strokeOf(names.indexOf(name))
    const path = own.map(({ size, value }) => `${x(size).toFixed(1)},${y(value.median).toFixed(1)}`).join(' ')
    const bars = own.map(({ size, value }) => line(x(size), y(value.low), x(size), y(value.high), stroke))
    return [shape('polyline', { points: path, fill: 'none', stroke, 'stroke-width': 2 }), ...bars]
  })
  return [...axes, ...drawn]
}

function strokeOf(index: number): string {
  return STROKES[index % STROKES.length] ?? COLOURS.ink
}

function shortNumber(size: number): string {
  return size >= 1e6 ? `${size / 1e6} million` : size >= 1e3 ? `${size / 1e3} thousand` : String(size)
}
