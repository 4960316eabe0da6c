import { describe, expect, it } from 'vitest'
import { dataPage, dataPet, petJson, petsJson, RARE, RARE_STATUS } from './data-set.ts'

const SIZE = 1_000

describe('the data set', () => {
  it('is the same on every run', () => {
    expect(dataPet(7, SIZE)).toEqual({
      id: 7,
      name: 'Tiger Lily of the Valley 7',
      categoryId: 7_000_021,
      status: null,
    })
    expect(dataPet(2, SIZE)).toMatchObject({ name: 'Żółw 2', status: 'available' })
  })

  it('leaves out a status that nobody gave', () => {
    expect(petJson(dataPet(7, SIZE))).toBe('{"id":7,"name":"Tiger Lily of the Valley 7","categoryId":7000021}')
  })

  it('keeps the rare status at the very end', () => {
    const rare = dataPage(SIZE, 100, { status: RARE_STATUS })
    expect(rare.map(({ id }) => id)).toEqual(Array.from({ length: RARE }, (_, index) => SIZE - RARE + 1 + index))
  })

  it('pages by id and by status, up to the limit', () => {
    expect(dataPage(SIZE, 3, { after: 10 }).map(({ id }) => id)).toEqual([11, 12, 13])
    expect(dataPage(SIZE, 3, { status: 'pending' }).map(({ id }) => id)).toEqual([1, 5, 9])
    expect(dataPage(SIZE, 3, { after: SIZE - 1 }).map(({ id }) => id)).toEqual([SIZE])
    expect(petsJson([])).toBe('[]')
  })
})
