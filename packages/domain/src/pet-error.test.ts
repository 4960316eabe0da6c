import { expect, it } from 'vitest'
import { isPetError, PetError, persistenceUnavailable } from './pet-error.ts'

it('PetError has its code and message, and neither cause nor outcome when none was given', () => {
  const error = new PetError('pet_not_found', 'There is no pet 1.')
  expect(error).toMatchObject({
    name: 'PetError',
    code: 'pet_not_found',
    message: 'There is no pet 1.',
  })
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toHaveProperty('cause')
  expect(error.outcome).toBeUndefined()
})

it('persistenceUnavailable says what is known of a write, its cause and a message', () => {
  const code = 'persistence_unavailable'
  const message = 'The database is unavailable.'
  expect(persistenceUnavailable()).toMatchObject({ code, outcome: 'not_stored', message })
  const given = { message: 'lost', outcome: 'unknown', cause: new Error('below') } as const
  expect(persistenceUnavailable(given)).toMatchObject({ code, ...given })
})

it('isPetError recognises a PetError, even of another copy of the package', () => {
  const foreign = Object.assign(new Error('There is no pet 1.'), {
    name: 'PetError',
    code: 'pet_not_found',
  })

  expect(foreign).not.toBeInstanceOf(PetError)
  expect([new PetError('pet_not_found', 'There is no pet 1.'), foreign].map(isPetError)).toEqual([
    true,
    true,
  ])
})

it.each([new TypeError('other'), { name: 'PetError', code: 'pet_invalid' }, null])(
  'isPetError rejects %o',
  (value) => {
    expect(isPetError(value)).toBe(false)
  },
)
