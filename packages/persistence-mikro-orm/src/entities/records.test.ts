import { type PetInput, validateNewPet } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { columnsFromPet, petFromColumns } from './records.ts'

it.each<PetInput>([
  { name: 'Rex', categoryId: 2n, status: 'sold' },
  { name: 'Rex', categoryId: 2n },
])('the columns of %o become the same pet, without the fields that it does not have', (input) => {
  const pet = validateNewPet(input)
  expect(petFromColumns([1n, ...columnsFromPet(pet)])).toStrictEqual({ id: 1n, ...pet })
})
