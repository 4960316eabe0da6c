import { expect, it } from 'vitest'
import { expectNotOpened, expectUnavailable } from '../adapter/outage.ts'
import { endWithin } from './time-limit.ts'

const never = () => new Promise<never>(() => {})

/** 10 ms for a call, 30 ms for opening. */
const SCALE = 0.001

it('endWithin says what did not end, and within which time', async () => {
  await expect(endWithin(1, never)).rejects.toThrow('The case did not end within 1 ms.')
  await expect(endWithin(1, never, 'close')).rejects.toThrow('close did not end within 1 ms.')
  expect(await endWithin(1_000, async () => 'ended')).toBe('ended')
})

it('expectUnavailable names the call that does not end, and expectNotOpened the opening', async () => {
  const calls = [{ name: 'apiKeys.markUsed', isRead: false, run: never }]
  await expect(expectUnavailable(calls, SCALE)).rejects.toThrow(
    'apiKeys.markUsed did not end within 10 ms.',
  )
  await expect(expectNotOpened(never, SCALE)).rejects.toThrow('Opening did not end within 30 ms.')
})
