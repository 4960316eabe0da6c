import { describe, expect, it } from 'vitest'
import { petFromColumns } from './codec.ts'

describe('The columns of a statement', () => {
  it('become a pet with the names of the domain', () => {
    expect(petFromColumns([1n, 'Rex', 2n, 'sold'])).toStrictEqual({
      id: 1n,
      name: 'Rex',
      categoryId: 2n,
      status: 'sold',
    })
  })

  it('without a status become a pet without the field', () => {
    const pet = petFromColumns([1n, 'Rex', 2n, null])
    expect(Object.keys(pet)).toEqual(['id', 'name', 'categoryId'])
  })
})
