import { expect, it } from 'vitest'
import { ratio, rotate, turns } from './rotation.ts'

it('puts a slice of the baseline beside each other slice, and reverses every other round', () => {
  expect([0, 1].map((round) => turns(['b', 'x', 'y', 'z'], round).join(' '))).toEqual(['b x y b z', 'z b y x b'])
  expect(turns(['b', 'x', 'y'], 0).join(' ')).toBe('b x y b')
})

it('compares neighbouring slices, so that a machine that slows down changes no ratio', async () => {
  let speed = 1_000
  const entrant = (name: string, share: number) => ({
    info: { name },
    take: async () => {
      speed *= 0.9
      return speed * share
    },
  })
  const [baseline, half] = await rotate([[entrant('b', 1), entrant('x', 0.5)]], 20, () => {})
  expect([baseline?.name, half?.name]).toEqual(['b', 'x'])
  const { middle } = ratio(half?.series ?? { slices: [], neighbours: [] }, (slice) => slice)
  expect(middle).toBeGreaterThan(0.44)
  expect(middle).toBeLessThan(0.56)
})
