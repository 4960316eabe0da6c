import { expect, it, vi } from 'vitest'
import { expectRejection } from './expectations.ts'

it.each([
  ['undefined', undefined],
  ["'taken'", 'taken'],
])('expectRejection says that a call was rejected without an error: %s', async (text, reason) => {
  const add = vi.fn<() => Promise<unknown>>().mockRejectedValue(reason)
  await expect(expectRejection(add, 'add must reject', { code: 'taken' })).rejects.toThrow(
    `add must reject with an error; it was rejected with: ${text}`,
  )
})

it('expectRejection shows the property that differs, and the message of the error', async () => {
  const error = Object.assign(new Error('no such key'), { code: 'other' })
  await expect(
    expectRejection(() => Promise.reject(error), 'add must reject', { code: 'taken' }),
  ).rejects.toThrow(/^add must reject; it was rejected with: no such key\n.*'other'.*'taken'/s)
})
