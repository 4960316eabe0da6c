import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AdmissionQueue } from './admission-queue.ts'

const MAX = 100
/** Three quarters of it. */
const MAX_OF_QUEUE = 75

/** Lets the event loop read, and the queue admit, many times. */
async function readOften(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets the interval pass, in which the queue counts what else it may admit. */
async function pass(): Promise<void> {
  vi.advanceTimersByTime(10)
  await readOften()
}

/** A queue on which as many requests are under way as may be, and 1,000 connections wait. */
async function full() {
  const idle = { ms: 0 }
  const queue = new AdmissionQueue(MAX, () => idle.ms)
  for (let request = 0; request < MAX; request += 1) queue.begin()
  // The rejections that may pass together.
  for (let number = 0; number < 200; number += 1) queue.mayReadOn(() => {}, true)
  await pass()
  const admitted: number[] = []
  for (let number = 0; number < 1_000; number += 1) queue.mayReadOn(() => admitted.push(number), true)
  await readOften()
  expect(admitted).toEqual([])
  return { idle, queue, admitted }
}

describe('The admission queue', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    return () => vi.useRealTimers()
  })

  it('admits nobody while the bound is reached and the event loop is busy', async () => {
    const { admitted } = await full()
    await pass()
    expect(admitted).toEqual([])
  })

  it('admits one for each request that ends below three quarters of the bound, in order', async () => {
    const { queue, admitted } = await full()
    for (let request = 0; request < MAX - MAX_OF_QUEUE; request += 1) queue.end()
    await readOften()
    expect(admitted).toEqual([])
    queue.end()
    queue.end()
    await new Promise((resolve) => setImmediate(resolve))
    expect(admitted).toEqual([0, 1])
    // Their requests arrive before the next ones could be admitted.
    queue.begin()
    queue.begin()
    await readOften()
    expect(admitted).toEqual([0, 1])
  })

  it('goes on to the next connections when those that were admitted send nothing', async () => {
    const { queue, admitted } = await full()
    for (let request = 0; request < MAX; request += 1) queue.end()
    await readOften()
    expect(admitted).toEqual(Array.from({ length: 1_000 }, (_, number) => number))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('makes a connection wait after any response while others wait, and after a 503 even if none does', async () => {
    const { queue } = await full()
    expect(queue.mayReadOn(() => {}, false)).toBe(false)
    const empty = new AdmissionQueue(MAX, () => 0)
    expect(empty.mayReadOn(() => {}, false)).toBe(true)
    expect(empty.mayReadOn(() => {}, true)).toBe(false)
  })

  it('admits one for fifty requests that are handled, although the bound is reached', async () => {
    const { queue, admitted } = await full()
    for (let request = 0; request < 150; request += 1) {
      queue.begin()
      queue.end()
    }
    await pass()
    expect(admitted).toEqual([0, 1, 2])
  })

  it('admits two for each millisecond in which the event loop is idle, although the bound is reached', async () => {
    const { idle, admitted } = await full()
    idle.ms += 5
    await pass()
    expect(admitted).toHaveLength(10)
  })

  it('admits none of these while places come free, until one has waited for a second', async () => {
    const { idle, queue, admitted } = await full()
    for (let request = 0; request < MAX - MAX_OF_QUEUE; request += 1) queue.end()
    const passWithFreePlace = async () => {
      idle.ms += 10
      queue.end()
      await new Promise((resolve) => setImmediate(resolve))
      queue.begin()
      await pass()
    }
    for (let count = 1; count <= 5; count += 1) {
      await passWithFreePlace()
      expect(admitted).toHaveLength(count)
    }
    vi.advanceTimersByTime(950)
    await passWithFreePlace()
    expect(admitted.length).toBeGreaterThan(6)
  })

  it('admits at most 200 together, however long the event loop was idle', async () => {
    const { idle, admitted } = await full()
    idle.ms += 1_000_000
    await pass()
    expect(admitted).toHaveLength(200)
  })

  it('forgets a connection that has closed', async () => {
    const { queue, admitted } = await full()
    const closed = () => admitted.push(-1)
    queue.mayReadOn(closed, true)
    expect(queue.leave(closed)).toBe(true)
    expect(queue.leave(closed)).toBe(false)
    for (let request = 0; request < MAX; request += 1) queue.end()
    await readOften()
    expect(admitted).toHaveLength(1_000)
    expect(admitted).not.toContain(-1)
  })
})
