import { expect, it } from 'vitest'
import { bodyProblem, problemOf } from './field-problem.ts'

const limit = { name: 'limit', type: 'int32', isRequired: false, min: '1', max: '100' }
const petId = { name: 'petId', type: 'int64', isRequired: true }

it.each([
  [{ ...limit, value: '' }, undefined],
  [{ ...limit, value: '100' }, undefined],
  [{ ...limit, value: '0' }, 'limit must be from 1 to 100.'],
  [{ ...limit, value: '1.5' }, 'limit must be an integer.'],
  [{ ...petId, value: '' }, 'petId is required.'],
  [{ ...petId, value: '-9223372036854775808' }, undefined],
  [
    { ...petId, value: '9223372036854775808' },
    'petId must be from -9223372036854775808 to 9223372036854775807.',
  ],
  [{ ...petId, name: 'cursor', type: 'string', value: 'x', isRequired: false }, undefined],
])('the form says of %o: %s', (field, problem) => {
  expect(problemOf(field)).toBe(problem)
})

it('the form says of a body whether it is JSON, and leaves the rest to the service', () => {
  expect(bodyProblem('{"id": 1e999, "name": null}')).toBeUndefined()
  expect(bodyProblem('{"name": ')).toMatch(/^The body is not JSON: /)
})
