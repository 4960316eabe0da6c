import { expect, it } from 'vitest'
import { inventPet } from './seed.ts'

const invented = (seed: number, count: number) => Array.from({ length: count }, (_, index) => inventPet(seed, index))

it('invented pets are the same for the same seed, and others for another', () => {
  expect(invented(7, 3)).toEqual([
    { name: 'Maple the Quick', categoryId: 3n, status: 'available' },
    { name: 'Luna the Quick', categoryId: 11n, status: 'available' },
    { name: 'Juno', categoryId: 12n },
  ])
  expect(
    new Set(
      [0, 1, 2 ** 32 - 1].map((seed) =>
        invented(seed, 5)
          .map(({ name }) => name)
          .join(),
      ),
    ).size,
  ).toBe(3)
})

it('invented pets have every name, category and status, and some have none', () => {
  const pets = invented(1, 10_000)
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['available', 'pending', 'sold', undefined]))
  expect(new Set(pets.map(({ categoryId }) => categoryId)).size).toBe(12)
  expect(new Set(pets.map(({ name }) => name)).size).toBe(30 + 30 * 16)
})
