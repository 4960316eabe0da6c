/** A piece of an SVG drawing. */
export type Shape = string

type Attributes = Readonly<Record<string, string | number>>

export const COLOURS = {
  service: '#c2410c',
  ceiling: '#57534e',
  peer: '#93c5fd',
  ink: '#1c1917',
  faint: '#d6d3d1',
} as const

export function shape(name: string, attributes: Attributes, content = ''): Shape {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(rounded(value))}"`)
  return `<${name}${written.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`
}

export function text(x: number, y: number, words: string, attributes: Attributes = {}): Shape {
  return shape('text', { x, y, fill: COLOURS.ink, ...attributes }, escaped(words))
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1): Shape {
  return shape('line', { x1, y1, x2, y2, stroke, 'stroke-width': width })
}

/** A whole drawing, readable on light and dark pages, and by its title where it cannot be seen. */
export function drawing(width: number, height: number, title: string, shapes: readonly Shape[]): string {
  const attributes = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height }
  const font = { 'font-family': 'system-ui, sans-serif', 'font-size': 12, role: 'img' }
  const background = shape('rect', { width, height, fill: '#ffffff' })
  const content = [shape('title', {}, escaped(title)), background, ...shapes].join('\n')
  return `${shape('svg', { ...attributes, ...font }, `\n${content}\n`)}\n`
}

function rounded(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
