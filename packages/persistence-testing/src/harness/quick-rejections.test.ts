import type { Persistence } from '@pet-store/persistence'
import { expect, it } from 'vitest'
import type { PersistenceHarness } from './persistence-harness.ts'
import { quickRejections } from './quick-rejections.ts'

const REJECTED = new Error('planted')

/** Opening, and each check, take so long. Checks are rejected. */
async function rejectedAfter(openingMs: number, checkMs: number) {
  let timeMs = 0
  const after = async (durationMs: number) => {
    timeMs += durationMs
  }
  const opened: Partial<Persistence> = {
    async check() {
      await after(checkMs)
      throw REJECTED
    },
  }
  const given: PersistenceHarness = {
    async open() {
      await after(openingMs)
      return opened as Persistence
    },
    emptyDatabase: async () => 'db',
    freeze: async () => ({ async end() {} }),
  }
  const rejections = quickRejections(given, () => timeMs)
  const persistence = await rejections.harness.open({ url: 'db' })
  await expect(persistence.check()).rejects.toBe(REJECTED)
  return rejections
}

it('quickRejections knows the error of a call if none has taken long', async () => {
  const { isQuick } = await rejectedAfter(9_000, 10)
  expect(isQuick(REJECTED)).toBe(true)
  expect(isQuick(new Error('of the case'))).toBe(false)
})

it('quickRejections takes no call for quick beside one that has taken long', async () => {
  const { isQuick } = await rejectedAfter(0, 500)
  expect(isQuick(REJECTED)).toBe(false)
})

it('quickRejections takes no call for quick after an outage, until the next case', async () => {
  const { harness, isQuick, begin } = await rejectedAfter(0, 10)
  await harness.freeze?.('db')
  expect(isQuick(REJECTED)).toBe(false)
  begin()
  const persistence = await harness.open({ url: 'db' })
  await expect(persistence.check()).rejects.toBe(REJECTED)
  expect(isQuick(REJECTED)).toBe(true)
})
