import { expect, it } from 'vitest'
import { type Bar, barsSvg } from './bars-svg.ts'

const bare: Bar = { name: 'bare', colour: 'ceiling', value: { middle: 1, low: 1, high: 1 } }
const ours: Bar = { name: 'A & <B>', colour: 'service', value: { middle: 0.5, low: 0.25, high: 2 } }
const svg = barsSvg('Ratios', [{ title: 'List', bars: [bare, ours] }])

function attributes(tag: string, ...names: string[]) {
  return [...svg.matchAll(new RegExp(`<${tag} [^>]*>`, 'g'))].map(([found]) =>
    names.map((name) => Number(new RegExp(` ${name}="([0-9.]+)"`).exec(found)?.[1])),
  )
}

it('draws bars as long as their values, and error bars over the confidence intervals', () => {
  const [, [start = 0, one = 0] = [], [, half] = []] = attributes('rect', 'x', 'width')
  expect(half).toBe(one / 2)
  const errorBars = attributes('line', 'x1', 'x2', 'y1', 'y2').filter(([, , y1, y2]) => y1 === y2)
  expect(errorBars.map(([x1, x2]) => [x1, x2])).toEqual([
    [start + one, start + one],
    [start + one / 4, start + one * 2],
  ])
})

it('writes names and values, and escapes markup in them', () => {
  expect(svg).toContain('>A &amp; &lt;B&gt;</text>')
  expect(svg).toContain('>0.50</text>')
  expect(svg).toMatch(/^<svg [^>]*role="img"[^>]*>\n<title>Ratios<\/title>/)
})
