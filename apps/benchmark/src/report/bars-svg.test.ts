import { expect, it } from 'vitest'
import { type Bar, barsSvg } from './bars-svg.ts'

const bare: Bar = { name: 'bare', role: 'ceiling', ratio: { median: 1, low: 1, high: 1 } }
const ours: Bar = { name: 'A & <B>', role: 'service', ratio: { median: 0.5, low: 0.25, high: 2 } }

const attribute = (tag: string, name: string) => Number(new RegExp(`${name}="([0-9.]+)"`).exec(tag)?.[1])

const svg = barsSvg('Ratios', [{ title: 'List', bars: [bare, ours] }])
const bars = (svg.match(/<rect [^>]*>/g) ?? []).slice(1)
const whiskers = (svg.match(/<line [^>]*>/g) ?? []).filter((tag) => attribute(tag, 'y1') === attribute(tag, 'y2'))

it('draws bars as long as their ratios', () => {
  const [one = 0, half = 0] = bars.map((tag) => attribute(tag, 'width'))
  expect(one).toBeGreaterThan(0)
  expect(half).toBe(one / 2)
})

it('draws error bars over the confidence intervals', () => {
  const start = attribute(bars[0] ?? '', 'x')
  const one = attribute(bars[0] ?? '', 'width')
  const ends = whiskers.map((tag) => [attribute(tag, 'x1'), attribute(tag, 'x2')])
  expect(ends).toEqual([
    [start + one, start + one],
    [start + one / 4, start + one * 2],
  ])
})

it('writes names and values, and escapes markup in them', () => {
  expect(svg).toContain('>A &amp; &lt;B&gt;</text>')
  expect(svg).toContain('>0.50</text>')
  expect(svg).toMatch(/^<svg [^>]*role="img"[^>]*>\n<title>Ratios<\/title>/)
})
