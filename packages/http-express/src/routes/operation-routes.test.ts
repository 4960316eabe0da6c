import { expect, it } from 'vitest'
import { createPet } from '../operations/create-pet.ts'
import { getPet } from '../operations/get-pet.ts'
import { isDeprecatedPath } from './operation-routes.ts'

it('a path is deprecated where all of its operations are, not where one of them stays', () => {
  expect(isDeprecatedPath([getPet])).toBe(true)
  expect(isDeprecatedPath([getPet, createPet])).toBe(false)
  expect(isDeprecatedPath([createPet])).toBe(false)
})
