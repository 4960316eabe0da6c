import { validateNewPet } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { petFromRecord, petToRecord } from './pet-record.ts'

it('a pet comes back from its row with exact integers, and without what it does not have', () => {
  const pet = validateNewPet({ name: '007', categoryId: -(2n ** 63n) })
  const record = petToRecord(pet, 2n ** 53n + 1n)
  expect(record).toStrictEqual({
    id: '9007199254740993',
    name: '007',
    categoryId: '-9223372036854775808',
  })
  expect(petFromRecord(record)).toStrictEqual({ ...pet, id: 2n ** 53n + 1n })
  expect(petToRecord(pet)).toStrictEqual({ name: '007', categoryId: '-9223372036854775808' })
})
