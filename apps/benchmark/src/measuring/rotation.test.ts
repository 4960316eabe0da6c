import { expect, it } from 'vitest'
import { ratio, rotate, turns } from './rotation.ts'
import type { Slice } from './slice.ts'

function slice(requestsPerSecond: number, isDisturbed = false): Slice {
  const unknown = { instructions: undefined, databaseMicroseconds: undefined }
  const figures = { requests: 1, cpuMicroseconds: 1, ...unknown, p50Ms: 1, p99Ms: 1, busy: 1, added: 0 }
  return { ...figures, requestsPerSecond, isDisturbed }
}

function entrant(name: string, everyRounds = 1, take = async () => slice(1)) {
  return { name, everyRounds, take }
}

it('puts a slice of the baseline beside each other slice, and reverses the order in every other round', () => {
  const heat = [entrant('b'), entrant('x'), entrant('y', 2), entrant('z', 2)]
  const names = (round: number) => turns(heat, round).map(({ name }) => name)
  expect([0, 1, 2].map(names)).toEqual([
    ['b', 'x', 'z', 'b'],
    ['b', 'y', 'x', 'b'],
    ['b', 'x', 'z', 'b'],
  ])
})

it('compares neighbouring slices, so that a machine that slows down changes no ratio', async () => {
  let speed = 1_000
  const slower = (share: number) => async () => {
    speed *= 0.9
    return slice(speed * share)
  }
  const [baseline, half] = [entrant('b', 1, slower(1)), entrant('x', 1, slower(0.5))]
  const results = await rotate([[baseline, half]], 20, () => {})
  const { middle } = ratio(results.get(half) ?? fail(), ({ requestsPerSecond }) => requestsPerSecond)
  expect(middle).toBeGreaterThan(0.44)
  expect(middle).toBeLessThan(0.56)
})

it('throws disturbed slices away, counts them and repeats them, but takes the last attempt as it is', async () => {
  let taken = 0
  const disturbedEverySecondTime = entrant('x', 1, async () => {
    taken += 1
    return slice(taken % 2 === 0 ? 2 : 9, taken % 2 === 1)
  })
  const alwaysDisturbed = entrant('y', 1, async () => slice(1, true))
  const results = await rotate([[entrant('b'), disturbedEverySecondTime, alwaysDisturbed]], 4, () => {})
  const series = results.get(disturbedEverySecondTime) ?? fail()
  expect(series.disturbed).toBe(4)
  expect(ratio(series, ({ requestsPerSecond }) => requestsPerSecond)).toEqual({ middle: 2, low: 2, high: 2 })
  expect(results.get(alwaysDisturbed)).toMatchObject({ slices: Array(4).fill(slice(1, true)), disturbed: 4 })
})

function fail(): never {
  throw new Error('The entrant has no series.')
}
