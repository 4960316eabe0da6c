import { expect, it } from 'vitest'
import { curvesSvg } from './curves-svg.ts'

it('draws latency on a logarithmic scale over throughput, and none beyond the picture', () => {
  const point = (requestsPerSecond: number, p99Ms: number) => ({ requestsPerSecond, p50Ms: 1, p99Ms })
  const points = [point(0, 1), point(500, 10), point(1_000, 100), point(1_000, 5_000), point(1_000, 9_000)]
  const svg = curvesSvg('Latency', [{ title: 'A', lines: [{ name: 'A & B', colour: 'service', points }] }])
  const [median = [], p99 = []] = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, places = '']) =>
    places.split(' ').map((place) => place.split(',').map(Number)),
  )
  expect(new Set(median.map(([, y]) => y)).size).toBe(1)
  const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = [], [x3, y3 = 0] = [], beyond, farther] = p99
  expect(x3).toBe(x2 * 2 - x1)
  // Places are rounded.
  expect(Math.abs(y3 - (y2 * 2 - y1))).toBeLessThanOrEqual(1)
  expect(beyond).toEqual(farther)
  expect(svg).toContain('>A &amp; B</text>')
})
