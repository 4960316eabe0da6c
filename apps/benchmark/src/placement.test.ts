import { describe, expect, it } from 'vitest'
import { pinningOf, placements } from './placement.ts'

const titles = (cores: readonly number[]) => placements(cores).map(({ title }) => title)

describe('where several processes run', () => {
  it('is apart from client and database, and once everywhere', () => {
    expect(titles([0, 1])).toEqual(['Services on core 1, client and database on core 0', 'All of them on cores 0, 1'])
    expect(titles([2, 3, 4])[0]).toBe('Services on cores 3, 4, client and database on core 2')
  })

  it('is the only core where there is one', () => {
    expect(titles([5])).toEqual(['All of them on core 5'])
  })

  it('is told to taskset where they are kept apart', () => {
    const commands = placements([0, 1, 2, 3]).map((placement) => pinningOf(placement).onServerCore(['node', 'x.js']))
    expect(commands).toEqual([
      ['taskset', '-c', '2,3', 'node', 'x.js'],
      ['node', 'x.js'],
    ])
  })
})
