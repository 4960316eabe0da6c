import { expect, it } from 'vitest'
import { ratio, rotate } from './rotation.ts'

it('a rotation puts the baseline beside each slice, and reverses every other round', async () => {
  const order: string[] = []
  const group = ['b', 'x', 'y'].map((name) => ({ name }))
  const take = async ({ name }: { name: string }) => order.push(name)
  const [, x, y] = await rotate([group, group.slice(0, 1)], take, 2, () => {})
  expect(order.join(' ')).toBe('b x b y b x b y b b')
  expect([x?.series.neighbours, y?.series.neighbours]).toEqual([
    [1, 7],
    [3, 9],
  ])
})

it('a machine that slows down changes no ratio, as neighbouring slices are compared', async () => {
  const group = [
    { name: 'b', share: 1 },
    { name: 'x', share: 0.5 },
  ]
  let speed = 1_000
  async function take({ share }: { share: number }) {
    speed *= 0.9
    return { speed: speed * share }
  }
  const [baseline, half] = await rotate([group], take, 20, () => {})
  expect([baseline?.name, half?.name]).toEqual(['b', 'x'])
  const { middle } = ratio(half?.series ?? { slices: [], neighbours: [] }, 'speed')
  expect(middle).toBeGreaterThan(0.44)
  expect(middle).toBeLessThan(0.56)
})
