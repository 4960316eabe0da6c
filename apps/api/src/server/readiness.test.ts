import type { Persistence } from '@pet-store/persistence'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadiness } from './readiness.ts'

const check = vi.fn(async () => {})
const isMigrated = vi.fn(async () => true)
const onChange = vi.fn()

function create() {
  // Only these two are called.
  return createReadiness(
    { check, isMigrated } as Partial<Persistence> as Required<Persistence>,
    onChange,
  )
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
  it('the program is ready if the database works and is up to date', async () => {
    expect(await create().check()).toEqual({ database: 'ok', migrations: 'ok', process: 'ok' })
    expect(onChange).not.toHaveBeenCalled()
  })
})

describe('The program is not ready', () => {
  it('the program is not ready if the database rejects', async () => {
    const reason = new Error('down')
    check.mockRejectedValue(reason)
    const checks = { database: 'is unavailable', migrations: 'unknown', process: 'ok' }
    expect(await create().check()).toEqual(checks)
    expect(onChange).toHaveBeenCalledWith(checks, false, reason)
  })

  it('the program is not ready if the database does not respond in time', async () => {
    check.mockReturnValue(new Promise(() => {}))
    const checks = create().check()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await checks).toMatchObject({ database: 'is unavailable' })
  })

  it('the program is not ready if migrations are pending, as after a restore', async () => {
    isMigrated.mockResolvedValue(false)
    expect(await create().check()).toEqual({
      database: 'ok',
      migrations: 'are pending',
      process: 'ok',
    })
  })

  it('the program is not ready as soon as it is stopping', async () => {
    const readiness = create()
    readiness.stop()
    expect(await readiness.check()).toEqual({
      database: 'ok',
      migrations: 'ok',
      process: 'is stopping',
    })
  })
})

describe('The database is checked', () => {
  it('the database is checked once for all calls within a second', async () => {
    const readiness = create()
    await Promise.all([readiness.check(), readiness.check()])
    await vi.advanceTimersByTimeAsync(999)
    await readiness.check()
    expect(check).toHaveBeenCalledTimes(1)
    expect(isMigrated).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    await readiness.check()
    expect(check).toHaveBeenCalledTimes(2)
  })
})

describe('A change of readiness', () => {
  it('a change of readiness is reported once, and once more when it is ready again', async () => {
    const readiness = create()
    check.mockRejectedValue(new Error('down'))
    await readiness.check()
    await readiness.check()
    check.mockResolvedValue()
    await vi.advanceTimersByTimeAsync(1_000)
    await readiness.check()
    await readiness.check()
    expect(onChange.mock.calls.map(([, isReady]) => isReady as boolean)).toEqual([false, true])
  })
})
