import { describe, expect, it } from 'vitest'
import { readCores } from './pinning.ts'

describe('the cores that taskset names', () => {
  it('are read one by one and as ranges', () => {
    expect(readCores("pid 7's current affinity list: 0,1\n")).toEqual([0, 1])
    expect(readCores("pid 7's current affinity list: 2-5,8,10-11\n")).toEqual([2, 3, 4, 5, 8, 10, 11])
  })

  it('are none where taskset says nothing', () => {
    expect(readCores('')).toEqual([])
  })
})
