import { expect, it } from 'vitest'
import { isPetStatus, PET_STATUSES } from './pet-status.ts'

it('PET_STATUSES has the three statuses of the interface document in its order', () => {
  expect(PET_STATUSES).toEqual(['available', 'pending', 'sold'])
})

it.each(PET_STATUSES)('isPetStatus accepts %s', (status) => {
  expect(isPetStatus(status)).toBe(true)
})

it.each(['', 'Available', 'SOLD', ' sold', 'sold ', 'lost', 'toString', 'length', '0'])(
  'isPetStatus rejects the text "%s"',
  (text) => {
    expect(isPetStatus(text)).toBe(false)
  },
)

it.each([undefined, null, 0, 1n, true, ['sold'], { status: 'sold' }])('isPetStatus rejects %o', (value) => {
  expect(isPetStatus(value)).toBe(false)
})
