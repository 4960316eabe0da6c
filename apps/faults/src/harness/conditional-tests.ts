import { it } from 'vitest'
import { IS_LONG, MODE } from './plan.ts'

/** Runs in the long form only: it takes long, and the short form has a part of it. */
export const itLong = itWhere(IS_LONG, 'It is a part of the long form: pnpm test:faults.')

/** Runs only with `--mode soak`. */
export const itSoak = itWhere(MODE === 'soak', 'It takes minutes and writes pictures: pnpm test:soak.')

/** Tests that are skipped with a reason, which counts as no failure, where the condition does not hold. */
function itWhere(condition: boolean, reason: string) {
  return it.extend<{ condition: undefined }>({
    condition: [
      async ({ skip }, use) => {
        if (!condition) skip(reason)
        await use(undefined)
      },
      { auto: true },
    ],
  })
}
