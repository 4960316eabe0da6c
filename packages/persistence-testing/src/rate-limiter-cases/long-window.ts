import type { CreateRateLimiter } from '@pet-store/access'
import { wait } from '../case/wait.ts'

/** A day: so long that a case hardly ever begins in one window and ends in the next. */
export const LONG_MS = 86_400_000

/** More than the calls of a case take. */
const ENOUGH_MS = 5_000

/** Runs a case at a time at which no long window is about to end. */
export function inOneWindow(
  run: (create: CreateRateLimiter) => Promise<void>,
): (create: CreateRateLimiter) => Promise<void> {
  return async (create) => {
    await untilNoWindowEnds(create)
    await run(create)
  }
}

/** Waits if a long window is about to end. */
export async function untilNoWindowEnds(create: CreateRateLimiter): Promise<void> {
  const { resetMs } = await create({ requests: 1, windowMs: LONG_MS }).take('key_clock')
  if (resetMs < ENOUGH_MS) await wait(Math.min(resetMs, ENOUGH_MS) + 5)
}
