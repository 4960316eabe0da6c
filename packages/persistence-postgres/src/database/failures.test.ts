import { PetError, persistenceUnavailable } from '@pet-store/domain'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { isConflict, isRejected, isUsableAfter, unavailableOr } from './failures.ts'

function reported(code: string, severity = 'ERROR'): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError('no', 2, 'error'), { code, severity })
}

describe('A failed statement of PostgreSQL', () => {
  it.each(['53300', '53100', '57014', '55P03', '25006', '2200H', '42501', '42P01'])(
    'a failed statement has stored nothing after SQLSTATE %s',
    (code) => {
      const error = reported(code)
      expect(unavailableOr(error, 'unknown')).toBeInstanceOf(PetError)
      expect(unavailableOr(error, 'unknown')).toMatchObject({ outcome: 'not_stored', cause: error })
    },
  )

  it.each([
    reported('08006'),
    reported('57P01', 'FATAL'),
    reported('57P05', 'FATAL'),
    reported('XX000'),
    reported('40003'),
    reported('28000', 'FATAL'),
    reported('53100', 'PANIC'),
    reported('53200', 'FATAL'),
    reported('53100', 'ПАНИКА'),
    reported('57014', 'ОШИБКА'),
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    Object.assign(new Error('bad record mac'), { code: 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    new Error('Received unexpected dataRow message from backend.'),
    'a text',
  ])('a failed write has an unknown outcome, a failed read is unavailable, after %s', (error) => {
    expect(unavailableOr(error, 'unknown')).toMatchObject({ outcome: 'unknown', cause: error })
    expect(unavailableOr(error)).toMatchObject({ outcome: 'not_stored', cause: error })
  })

  it.each([
    ['23505', 'ERROR'],
    ['22003', 'ERROR'],
    ['40001', 'ERROR'],
    ['23514', 'ОШИБКА'],
    ['40P01', 'ОШИБКА'],
    ['42601', 'ERROR'],
  ])(
    "a failed statement keeps the server's own error %s with the severity %s",
    (code, severity) => {
      const error = reported(code, severity)
      expect(unavailableOr(error, 'unknown')).toBe(error)
    },
  )

  it('a failed statement keeps a classified error as it is', () => {
    const error = persistenceUnavailable()
    expect(unavailableOr(error, 'unknown')).toBe(error)
  })
})

it('only SQLSTATE 40001 and 40P01 are conflicts', () => {
  const codes = ['40001', '40P01', '40003', '22003', '23505', '24000']
  expect(codes.filter((code) => isConflict(reported(code)))).toEqual(['40001', '40P01'])
  expect(isConflict(Object.assign(new Error('not reported'), { code: '40001' }))).toBe(false)
})

it('a connection is usable after an error of a statement, and after no other', () => {
  expect(isUsableAfter(reported('57014'))).toBe(true)
  expect(isUsableAfter(reported('57P01', 'FATAL'))).toBe(false)
  expect(isUsableAfter(reported('57014', 'ОШИБКА'))).toBe(false)
  expect(isUsableAfter(reported('40001', 'ОШИБКА'))).toBe(true)
  expect(isUsableAfter(new Error('Query read timeout'))).toBe(false)
  for (const code of ['25006', '3F000', '42P01']) {
    expect(isUsableAfter(reported(code, 'ОШИБКА'))).toBe(true)
    expect(isUsableAfter(unavailableOr(reported(code)))).toBe(true)
  }
})

it.each(['23514', 'P0001', 'SHOP1'])(
  'a statement is rejected after SQLSTATE %s, if the server says that it has failed',
  (code) => {
    const error = unavailableOr(reported(code), 'unknown')
    expect(isRejected(error)).toBe(true)
    expect(isRejected(unavailableOr(reported(code, 'FATAL'), 'unknown'))).toBe(code === '23514')
    expect(isRejected(unavailableOr(reported('42P01'), 'unknown'))).toBe(false)
    expect(isRejected(unavailableOr(new Error('Query read timeout'), 'unknown'))).toBe(false)
  },
)
