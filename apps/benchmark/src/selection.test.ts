import { describe, expect, it } from 'vitest'
import { select } from './selection.ts'

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

describe('what is measured', () => {
  it('is everything without a word', () => {
    const selections = select([], [])
    expect(selections.map(({ database }) => database)).toEqual(['sqlite', 'postgres'])
    for (const { operations, contestants } of selections) {
      expect(idsOf(operations)).toEqual(['list', 'list-100', 'deep-page', 'get', 'create', 'mixed'])
      expect(idsOf(contestants)).toContain('pet-store')
    }
  })

  it('is chosen by the beginnings of words', () => {
    const [sqlite, ...others] = select(['sqlite-list', 'sqlite-get'], ['pet'])
    expect(others).toEqual([])
    expect(idsOf(sqlite?.operations ?? [])).toEqual(['list', 'list-100', 'get'])
  })

  it('always has the contestant that all are compared with', () => {
    expect(select(['postgres'], ['pet']).map(({ contestants }) => idsOf(contestants))).toEqual([['bare', 'pet-store']])
  })

  it('is refused where nothing has such a name', () => {
    expect(() => select(['oracle-list'], [])).toThrow('Nothing is called oracle-list')
  })
})
