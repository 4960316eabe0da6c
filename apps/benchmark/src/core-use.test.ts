import { describe, expect, it } from 'vitest'
import { busyPart, coreTimes } from './core-use.ts'

const BEFORE = `cpu  30 0 0 200 0 0 0 0 0 0
cpu0 10 0 0 100 0 0 0 0 0 0
cpu1 20 0 0 100 0 0 0 0 0 0
intr 5
`
const AFTER = `cpu  115 5 10 265 15 0 0 0 30 0
cpu0 60 5 10 125 10 0 0 0 30 0
cpu1 55 0 0 140 5 5 5 10 0 0
intr 9
`

describe('the use of cores', () => {
  it('is the part of the time in which they neither idle nor wait', () => {
    const [before, after] = [coreTimes(BEFORE), coreTimes(AFTER)]
    expect(busyPart(before, after, [0])).toBe(0.65)
    expect(busyPart(before, after, [1])).toBe(0.55)
    expect(busyPart(before, after, [0, 1])).toBe(0.6)
  })

  it('is no number for no core', () => {
    expect(busyPart(coreTimes(BEFORE), coreTimes(AFTER), [])).toBeNaN()
  })
})
