import { expect, it } from 'vitest'
import { expectNotOpened, expectUnavailable } from '../adapter/outage.ts'
import { endCaseWithin, endWithin } from './time-limit.ts'

const never = () => new Promise<never>(() => {})

/** 10 ms for a call, 30 ms for opening. */
const SCALE = 0.001

it('endWithin says what did not end, and within which time', async () => {
  await expect(endWithin(1, never)).rejects.toThrow('The case did not end within 1 ms.')
  await expect(endWithin(1, never, 'close')).rejects.toThrow('close did not end within 1 ms.')
  expect(await endWithin(1_000, async () => 'ended')).toBe('ended')
})

it('endCaseWithin gives a case up to three times as long while the machine is busy', async () => {
  const answers = [true, true, true, true]
  await expect(endCaseWithin(2, never, () => answers.pop() ?? false)).rejects.toThrow(
    'The case did not end within 6 ms.',
  )
  expect(answers).toHaveLength(2)
  await expect(endCaseWithin(2, never, () => false)).rejects.toThrow('within 2 ms.')
  const slow = () => new Promise((resolve) => setTimeout(resolve, 15, 'ended'))
  expect(await endCaseWithin(10, slow, () => true)).toBe('ended')
})

it('expectUnavailable names the call that does not end, expectNotOpened the opening', async () => {
  const calls = [{ name: 'apiKeys.markUsed', isRead: false, run: never }]
  await expect(expectUnavailable(calls, SCALE)).rejects.toThrow(
    'apiKeys.markUsed did not end within 10 ms.',
  )
  await expect(expectNotOpened(never, SCALE)).rejects.toThrow('Opening did not end within 30 ms.')
})
