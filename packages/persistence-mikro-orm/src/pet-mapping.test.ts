import { describe, expect, it } from 'vitest'
import { petFromRow } from './pet-mapping.ts'

describe('A row', () => {
  it('becomes a pet with the names of the domain', () => {
    const row = { id: 1n, name: 'Rex', category_id: 2n, status: 'sold' } as const
    expect(petFromRow(row)).toStrictEqual({ id: 1n, name: 'Rex', categoryId: 2n, status: 'sold' })
  })

  it('without a status becomes a pet without the field', () => {
    const pet = petFromRow({ id: 1n, name: 'Rex', category_id: 2n, status: null })
    expect(Object.keys(pet)).toEqual(['id', 'name', 'categoryId'])
  })
})
