import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MEGABYTES, showProgress } from './progress.ts'

const lines: string[] = []

beforeEach(() => {
  vi.useFakeTimers()
  lines.length = 0
  vi.spyOn(console, 'error').mockImplementation((line: string) => lines.push(line))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('progress', () => {
  it('is a line every two seconds with the rate and the time left, and one at the end', () => {
    const meter = showProgress('Copying', 80_000)
    for (let count = 0; count < 8; count += 1) {
      vi.advanceTimersByTime(1_000)
      meter.advance(10_000)
    }
    meter.end()
    expect(lines).toEqual([
      'Copying: 20,000 of 80,000, 10,000/s, 6 s left',
      'Copying: 40,000 of 80,000, 10,000/s, 4 s left',
      'Copying: 60,000 of 80,000, 10,000/s, 2 s left',
      'Copying: 80,000 of 80,000, 10,000/s, 0 s left',
      'Copying: 80,000, 8 s',
    ])
  })

  it('has another unit, long times in minutes, and no time left if the total is unknown', () => {
    const known = showProgress('Reading', 388_000_000, MEGABYTES)
    const unknown = showProgress('Reading', undefined, MEGABYTES)
    vi.advanceTimersByTime(4_000)
    known.advance(10_000_000)
    unknown.advance(10_000_000)
    unknown.end()
    expect(lines).toEqual([
      'Reading: 10 MB of 388 MB, 2.5 MB/s, 2 min 31 s left',
      'Reading: 10 MB, 2.5 MB/s',
      'Reading: 10 MB, 4 s',
    ])
  })

  it('is nothing for work below a second', () => {
    const meter = showProgress('Copying', 1_000)
    vi.advanceTimersByTime(999)
    meter.advance(1_000)
    meter.end()
    expect(lines).toEqual([])
  })
})
