import { persistenceUnavailable } from '@pet-store/domain'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repeat } from './background-work.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('work longer than its interval is not queued, and is done again at the end', async () => {
  let fail = () => {}
  const slow = new Promise<void>((_, reject) => {
    fail = () => reject(new Error('the database is unavailable'))
  })
  const work = vi.fn(() => slow)
  const finish = repeat(work, 1_000, () => {})
  vi.advanceTimersByTime(10_000)
  expect(work).toHaveBeenCalledTimes(1)
  work.mockResolvedValue()
  const finished = finish()
  fail()
  await finished
  expect(work).toHaveBeenCalledTimes(2)
})

it('work that fails is reported, unless the database is unavailable', async () => {
  const failures: unknown[] = []
  const forbidden = new Error('permission denied for table api_key')
  const unavailable = persistenceUnavailable()
  for (const error of [forbidden, unavailable])
    await repeat(
      () => Promise.reject(error),
      1_000,
      (failure) => failures.push(failure),
    )()
  expect(failures).toEqual([forbidden])
})
