import { AssertionError } from 'node:assert/strict'
import { persistenceUnavailable } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { expectEqual, expectRejection } from './expectations.ts'
import { NotTested } from './not-tested.ts'
import { repeatIfBusy } from './repeat-if-busy.ts'

const UNAVAILABLE = persistenceUnavailable()

/** A case that fails so often, and counts how often it has run. */
function failing(times: number, fail: () => unknown) {
  const state = { runs: 0 }
  const run = async () => {
    state.runs += 1
    if (state.runs <= times) await fail()
    return 'passed'
  }
  return { state, run }
}

const isSlow = () => false
const rejected = () => Promise.reject(UNAVAILABLE)
const rejectedOtherwise = () =>
  expectRejection(rejected, 'it must say so', { code: 'idempotency_key_reused' })

it.each([rejected, rejectedOtherwise])(
  'repeatIfBusy runs a case up to three times in which a call was rejected',
  async (fail) => {
    const twice = failing(2, fail)
    expect(await repeatIfBusy(twice.run, isSlow, () => true)).toBe('passed')
    const always = failing(9, fail)
    await expect(repeatIfBusy(always.run, isSlow, () => true)).rejects.toThrow(NotTested)
    expect(always.state.runs).toBe(3)
  },
)

it('repeatIfBusy says with which error a database was taken for unavailable', async () => {
  const cause = new Error('read\n  ECONNRESET')
  for (const [error, said] of [
    [persistenceUnavailable({ cause: new Error('lost', { cause }) }), /: read ECONNRESET$/],
    [persistenceUnavailable({ cause: 'ended' }), /: 'ended'$/],
    [UNAVAILABLE, /: The database is unavailable\.$/],
  ] as const) {
    const { run } = failing(9, () => Promise.reject(error))
    await expect(repeatIfBusy(run, isSlow, () => true)).rejects.toThrow(said)
  }
})

it('repeatIfBusy rejects a case in which each time a call failed for another reason', async () => {
  const { run } = failing(9, () => Promise.reject(new TypeError('planted')))
  await expect(repeatIfBusy(run, isSlow, () => true)).rejects.toThrow(TypeError)
})

it('repeatIfBusy runs a case once on a machine that is not busy', async () => {
  const { state, run } = failing(9, rejected)
  await expect(repeatIfBusy(run, isSlow, () => false)).rejects.toBe(UNAVAILABLE)
  expect(state.runs).toBe(1)
})

it('repeatIfBusy runs a case once that has judged what a call returned', async () => {
  const { state, run } = failing(9, () => expectEqual(1, 2, 'the count'))
  await expect(repeatIfBusy(run, isSlow, () => true)).rejects.toBeInstanceOf(AssertionError)
  expect(state.runs).toBe(1)
})

it('repeatIfBusy runs a case once in which a call was rejected before any deadline', async () => {
  const { state, run } = failing(9, rejected)
  const isQuick = (error: unknown) => error === UNAVAILABLE
  await expect(repeatIfBusy(run, isQuick, () => true)).rejects.toBe(UNAVAILABLE)
  expect(state.runs).toBe(1)
})
