import { PersistenceUnavailable } from '@pet-store/persistence'
import { describe, expect, it } from 'vitest'
import { unavailableOr } from './unavailable.ts'

const errorWith = (code: string) => Object.assign(new Error('no'), { code })

describe('A database that is away', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'ENOTFOUND',
    'ETIMEDOUT',
    '08006',
    '53300',
    '57P01',
    '57P03',
    '57014',
    '25006',
  ])('is told by the code %s', (code) => {
    const error = errorWith(code)
    expect(unavailableOr(error)).toBeInstanceOf(PersistenceUnavailable)
    expect(unavailableOr(error)).toMatchObject({ code: 'persistence_unavailable', cause: error })
  })

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ])('is told by the words %j', (message) => {
    expect(unavailableOr(new Error(message))).toMatchObject({ code: 'persistence_unavailable' })
  })
})

it.each([errorWith('23505'), errorWith('42P01'), errorWith('22003'), new Error('what'), 'a text', undefined])(
  '%s is anything else, and stays as it is',
  (error) => {
    expect(unavailableOr(error)).toBe(error)
  },
)
