import { expect, it } from 'vitest'
import { isPetError, PetError } from './pet-error.ts'

it('PetError has its code, message and cause', () => {
  const cause = new Error('below')
  const error = new PetError('pet_invalid', 'name must be a string', { cause })

  expect(error).toMatchObject({ name: 'PetError', code: 'pet_invalid', message: 'name must be a string', cause })
  expect(error).toBeInstanceOf(Error)
})

it('PetError has no cause when none was given', () => {
  expect(new PetError('pet_not_found', 'There is no pet 1.')).not.toHaveProperty('cause')
})

it('isPetError recognises a PetError', () => {
  expect(isPetError(new PetError('pet_not_found', 'There is no pet 1.'))).toBe(true)
})

it('isPetError recognises a PetError of another copy of the package', () => {
  const foreign = Object.assign(new Error('There is no pet 1.'), { name: 'PetError', code: 'pet_not_found' })

  expect(foreign).not.toBeInstanceOf(PetError)
  expect(isPetError(foreign)).toBe(true)
})

it.each([
  new Error('other'),
  new TypeError('other'),
  { name: 'PetError', code: 'pet_invalid' },
  'PetError',
  null,
  undefined,
])('isPetError rejects %o', (value) => {
  expect(isPetError(value)).toBe(false)
})
