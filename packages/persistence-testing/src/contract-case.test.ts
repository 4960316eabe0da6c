import { expect, it } from 'vitest'
import { casesOf, expectEqual, expectRejection } from './contract-case.ts'

const [never] = casesOf<void>('group', { 'never: never ends': () => new Promise(() => {}) })

it('a case fails by itself when the adapter never responds', async () => {
  await expect(never?.run(undefined, 1)).rejects.toThrow('The case did not end within 1 ms.')
})

it('a case has the id of its group and a default time limit', () => {
  const [contractCase] = casesOf<void>('group', { 'name: does it': async () => {} })
  expect(contractCase).toMatchObject({ id: 'group.name', name: 'does it', timeLimitMs: 20_000 })
})

it('a failed comparison says what was expected and shows the difference', () => {
  expect(() => expectEqual([1n], [2n], 'the ids')).toThrow(/^the ids\n.*1n.*2n/s)
})

it('a call that should reject but resolves, or rejects with another code, says so', async () => {
  await expect(expectRejection(async () => 1, 'add must reject')).rejects.toThrow('add must reject, but it resolved')
  const call = () => Promise.reject(Object.assign(new Error('down'), { code: 'other' }))
  await expect(expectRejection(call, 'add must reject', { code: 'wanted' })).rejects.toThrow(
    /^add must reject; it was rejected with: down\n.*other/s,
  )
})
