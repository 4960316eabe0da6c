import { describe, expect, it } from 'vitest'
import { isPetStatus, PET_STATUSES } from './pet-status.ts'

describe('PET_STATUSES', () => {
  it('holds the three statuses of the interface document in its order', () => {
    expect(PET_STATUSES).toEqual(['available', 'pending', 'sold'])
  })
})

describe('isPetStatus', () => {
  it.each(PET_STATUSES)('accepts %s', (status) => {
    expect(isPetStatus(status)).toBe(true)
  })

  it.each(['', 'Available', 'SOLD', ' sold', 'sold ', 'lost', 'toString', 'length', '0'])(
    'refuses the text "%s"',
    (text) => {
      expect(isPetStatus(text)).toBe(false)
    },
  )

  it.each([undefined, null, 0, 1n, true, ['sold'], { status: 'sold' }])('refuses %o, which is no text', (value) => {
    expect(isPetStatus(value)).toBe(false)
  })
})
