import { expect } from 'vitest'
import { createPet } from '../operations/create-pet.ts'
import { getPet } from '../operations/get-pet.ts'
import { OPERATIONS_BY_ROUTE } from '../operations/operations.ts'
import { it } from '../testing/start-test-server.test-support.ts'
import { isDeprecatedPath } from './operation-routes.ts'

it('a path is deprecated only if all of its operations are', () => {
  expect(isDeprecatedPath([getPet])).toBe(true)
  expect(isDeprecatedPath([getPet, createPet])).toBe(false)
  expect(isDeprecatedPath([createPet])).toBe(false)
})

it.for([...OPERATIONS_BY_ROUTE])(
  'OPTIONS and 405 say whether the path is deprecated: %s',
  async ([template, operations], { server }) => {
    const path = template.replace(/\{\w+\}/, '1')
    for (const method of ['OPTIONS', 'TRACE']) {
      const { headers } = await server.send({ method, path })
      expect('deprecation' in headers).toBe(isDeprecatedPath(operations))
    }
  },
)
