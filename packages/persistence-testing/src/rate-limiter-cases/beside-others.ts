import type { CreateRateLimiter } from '@pet-store/access'
import { type ContractCase, casesOf } from '../case/contract-case.ts'
import { expectEqual } from '../case/expectations.ts'
import { inGroups } from '../case/in-groups.ts'
import { wait } from '../case/wait.ts'
import { inOneWindow, LONG_MS } from './long-window.ts'

/** So short that some windows end while the others count. */
const SHORT_MS = 20
/** An adapter may delete what has ended once in a thousand requests. */
const REQUESTS = 1_100
const AT_ONCE = 50

/** What one limiter counts and deletes changes nothing for another one. */
export const besideOthersCases: readonly ContractCase<CreateRateLimiter>[] = casesOf(
  'rate-limiter',
  {
    'beside-others: counts to the limit although shorter windows of other limits end meanwhile':
      inOneWindow(async (create) => {
        const limiters = [LONG_MS, 30 * LONG_MS].map((windowMs) =>
          create({ requests: 1, windowMs }),
        )
        for (const limiter of limiters) await limiter.take('key_kiosk')
        const short = create({ requests: 1, windowMs: SHORT_MS })
        // Half of them are of one key, which is not allowed; the others are new.
        const take = async (index: number) =>
          short.take(index % 2 === 0 ? 'key_kiosk' : `key_${index}`)
        // On a fast machine they all come in a moment: by then the others have begun before it.
        await wait(2 * SHORT_MS)
        await inGroups(REQUESTS, take, AT_ONCE)
        for (const limiter of limiters)
          expectEqual(
            (await limiter.take('key_kiosk')).isAllowed,
            false,
            `isAllowed of a second request after ${REQUESTS} of a limit with a shorter window`,
          )
      }),
  },
)
