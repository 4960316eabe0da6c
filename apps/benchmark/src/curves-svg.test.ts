import { describe, expect, it } from 'vitest'
import { curvesSvg } from './curves-svg.ts'

const at = (size: number, median: number) => ({ size, value: { median, lowest: median / 2, highest: median * 2 } })

describe('a drawing of curves', () => {
  const points = [at(1_000, 1), at(10_000, 1), at(1_000_000, 2)]
  const svg = curvesSvg('Growth', [{ title: 'SQLite', curves: [{ name: 'list', points }] }], 'ms')
  const drawn = /<polyline points="([^"]+)"/
    .exec(svg)?.[1]
    ?.split(' ')
    .map((point) => point.split(',').map(Number)) as [number, number][]

  it('places sizes by their powers of ten', () => {
    const [thousand = 0, tenThousand = 0, million = 0] = drawn.map(([x]) => x)
    expect((tenThousand - thousand) * 3).toBeCloseTo(million - thousand, 0)
  })

  it('places equal values at one height, and greater ones higher', () => {
    const [first = 0, second = 0, third = 0] = drawn.map(([, y]) => y)
    expect(second).toBe(first)
    expect(third).toBeLessThan(second)
  })

  it('says what is drawn, in which unit', () => {
    for (const words of ['>list</text>', '>SQLite, ms</text>', '>1 thousand</text>', '>1 million</text>']) {
      expect(svg).toContain(words)
    }
  })
})
