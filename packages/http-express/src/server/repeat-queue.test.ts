import { beforeEach, describe, expect, it, vi } from 'vitest'
import { RepeatQueue } from './repeat-queue.ts'

describe('Repeats after a 503', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setImmediate'] })
    return () => vi.useRealTimers()
  })

  /** A queue whose allowance is used up. */
  function usedUp() {
    const idle = { ms: 0 }
    const queue = new RepeatQueue(() => idle.ms)
    let passed = 0
    while (queue.mayPass(() => {})) passed += 1
    expect(passed).toBeLessThanOrEqual(200)
    const started: number[] = []
    for (let number = 0; number < 1_000; number += 1) queue.mayPass(() => started.push(number))
    return { idle, queue, started }
  }
  const pass = () => vi.advanceTimersByTime(20)

  it('wait while nothing else is handled and the event loop is busy', () => {
    const { started } = usedUp()
    pass()
    expect(started).toEqual([])
  })

  it('pass in their order, one for ten requests that are handled', () => {
    const { queue, started } = usedUp()
    for (let request = 0; request < 40; request += 1) queue.count()
    pass()
    // The first one in the queue used up the allowance.
    expect(started).toEqual([0, 1, 2])
  })

  it('pass faster while the event loop is idle', () => {
    const { idle, started } = usedUp()
    idle.ms += 5
    pass()
    expect(started).toHaveLength(9)
  })

  it('are at most 200 together, however long the event loop was idle', () => {
    const { idle, started } = usedUp()
    idle.ms += 1_000_000
    pass()
    expect(started).toHaveLength(199)
  })

  it('do not use up the allowance when their connection has closed', () => {
    const { queue, started } = usedUp()
    const closed = () => started.push(-1)
    queue.mayPass(closed)
    expect(queue.leave(closed)).toBe(true)
    expect(queue.leave(closed)).toBe(false)
    for (let request = 0; request < 100_000; request += 1) queue.count()
    for (let tick = 0; tick < 10; tick += 1) {
      for (let request = 0; request < 10_000; request += 1) queue.count()
      pass()
    }
    expect(started).toHaveLength(1_000)
    expect(started).not.toContain(-1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
