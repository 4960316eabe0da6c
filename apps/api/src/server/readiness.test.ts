import type { Persistence } from '@pet-store/persistence'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadiness } from './readiness.ts'

const check = vi.fn(async () => {})
const isMigrated = vi.fn(async () => true)
const onChange = vi.fn()

function create() {
  // Only these two are asked.
  return createReadiness({ check, isMigrated } as Partial<Persistence> as Required<Persistence>, onChange)
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.resetAllMocks()
  check.mockImplementation(async () => {})
  isMigrated.mockImplementation(async () => true)
})

describe('The program is ready', () => {
  it('when storage answers and is up to date', async () => {
    expect(await create().check()).toEqual({ storage: 'ok', migrations: 'ok', process: 'ok' })
    expect(onChange).not.toHaveBeenCalled()
  })
})

describe('The program is not ready', () => {
  it('when storage rejects', async () => {
    const reason = new Error('down')
    check.mockRejectedValue(reason)
    const checks = { storage: 'does not answer', migrations: 'unknown', process: 'ok' }
    expect(await create().check()).toEqual(checks)
    expect(onChange).toHaveBeenCalledWith(checks, false, reason)
  })

  it('when storage is silent for too long', async () => {
    check.mockReturnValue(new Promise(() => {}))
    const answer = create().check()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await answer).toMatchObject({ storage: 'does not answer' })
  })

  it('when migrations are missing, as after a backup was put back', async () => {
    isMigrated.mockResolvedValue(false)
    expect(await create().check()).toEqual({ storage: 'ok', migrations: 'are missing', process: 'ok' })
  })

  it('from the moment at which it is to stop', async () => {
    const readiness = create()
    readiness.stop()
    expect(await readiness.check()).toEqual({ storage: 'ok', migrations: 'ok', process: 'is stopping' })
  })
})

describe('A change', () => {
  it('is told once, and once more when all is well again', async () => {
    const readiness = create()
    check.mockRejectedValue(new Error('down'))
    await readiness.check()
    await readiness.check()
    check.mockResolvedValue()
    await readiness.check()
    await readiness.check()
    expect(onChange.mock.calls.map(([, isReady]) => isReady as boolean)).toEqual([false, true])
  })
})
