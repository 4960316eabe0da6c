import { expect, it } from 'vitest'
import { createPetInventor } from './invent-pets.ts'

const invented = (seed: number, count: number) => Array.from({ length: count }, createPetInventor(seed))

it('invented pets are the same for the same seed, in every version', () => {
  expect(invented(7, 3)).toEqual([
    { name: 'Luna', categoryId: 9n },
    { name: 'Leo the Loud', categoryId: 7n, status: 'available' },
    { name: 'Rocky the Sleepy', categoryId: 7n, status: 'sold' },
  ])
  expect(invented(7, 1_000)).toEqual(invented(7, 1_000))
})

it('invented pets differ between seeds, from the first on', () => {
  const firsts = [0, 1, 2, 3, 2 ** 32 - 1].map((seed) => JSON.stringify(invented(seed, 5).map(({ name }) => name)))
  expect(new Set(firsts).size).toBe(5)
})

it('invented pets are mostly available, sometimes without a status, in a few categories', () => {
  const pets = invented(1, 10_000)
  const share = (status?: string) => Math.round(pets.filter((pet) => pet.status === status).length / 100)
  expect(share('available')).toBeGreaterThan(55)
  expect(share('available')).toBeLessThan(65)
  expect(share()).toBeGreaterThan(3)
  expect(share()).toBeLessThan(7)
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['available', 'pending', 'sold', undefined]))
  expect(new Set(pets.map(({ categoryId }) => categoryId)).size).toBe(12)
  expect(new Set(pets.map(({ name }) => name)).size).toBe(30 + 30 * 16)
})
