import { AssertionError } from 'node:assert/strict'
import { inspect } from 'node:util'
import { isMachineBusy } from './busy-machine.ts'
import { NotTested } from './not-tested.ts'

const MAX_ATTEMPTS = 3

/** The code of such an error, which another process prints. */
const UNAVAILABLE = 'persistence_unavailable'
/** How the reason begins for which a case was not tested then. */
export const TOO_BUSY = 'this machine is so busy that the adapter took its database for unavailable'

/**
 * Runs a case again in which a call was rejected, if this machine is so busy that a deadline of the
 * adapter may have run out. A correct adapter may then say that its database is unavailable. If it
 * does so each time, its guarantee was not tested. What a call returned is judged at once, and so
 * is a rejection that `isQuick`: no deadline can have run out.
 */
export async function repeatIfBusy<Result>(
  run: () => Promise<Result>,
  isQuick: (rejection: unknown) => boolean,
  isBusy: () => boolean = isMachineBusy,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      const rejection = rejectionIn(error)
      if (error instanceof NotTested || rejection === undefined) throw error
      if (isQuick(rejection) || !isBusy()) throw error
      if (attempt < MAX_ATTEMPTS) continue
      throw inspect(rejection).includes(UNAVAILABLE)
        ? new NotTested(`${TOO_BUSY}: ${firstCauseOf(rejection)}`)
        : error
    }
  }
}

/** The error of the adapter because of which a case has failed, if it is one. */
function rejectionIn(error: unknown): unknown {
  return error instanceof AssertionError ? error.cause : error
}

/**
 * In one line, what the driver said: a fault of the adapter, too, may make it say that its database
 * is unavailable, whatever the machine does.
 */
function firstCauseOf(rejection: unknown): string {
  if (!(rejection instanceof Error)) return inspect(rejection)
  if (rejection.cause !== undefined) return firstCauseOf(rejection.cause)
  return rejection.message.replaceAll(/\s+/g, ' ')
}
