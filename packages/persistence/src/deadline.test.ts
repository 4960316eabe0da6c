import { setTimeout } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { startDeadline } from './deadline.ts'

it('startDeadline calls back after the time, in which the process has run', async () => {
  vi.useFakeTimers()
  try {
    const callback = vi.fn()
    startDeadline(1_001, callback)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(callback).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(callback).toHaveBeenCalledTimes(1)
    startDeadline(1_000, callback)()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(callback).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

it('startDeadline does not count all of the time in which the process was busy', async () => {
  const callback = vi.fn()
  const stop = startDeadline(120, callback)
  // Ends after that time, and is read before the next tick.
  const response = setTimeout(160)
  const end = performance.now() + 150
  while (performance.now() < end);
  await response
  expect(callback).not.toHaveBeenCalled()
  stop()
})

it('startDeadline takes at most six times as long by the clock', async () => {
  const callback = vi.fn()
  startDeadline(100, callback)
  const end = performance.now() + 610
  while (performance.now() < end);
  // The first tick, which is read before any other event.
  await setTimeout(1)
  expect(callback).toHaveBeenCalledTimes(1)
})
