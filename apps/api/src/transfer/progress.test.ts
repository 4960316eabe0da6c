import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

it('progress is a line every two seconds, in another unit and without a total too', () => {
  const copied = showProgress('Copying', 80_000)
  const read = showProgress('Reading', undefined, MEGABYTES)
  for (let count = 0; count < 5; count += 1) {
    vi.advanceTimersByTime(1_000)
    copied(10_000)
    read(1_250_000)
  }
  expect(lines).toEqual([
    'Copying: 20,000 of 80,000',
    'Reading: 2.5 MB',
    'Copying: 40,000 of 80,000',
    'Reading: 5 MB',
  ])
})
