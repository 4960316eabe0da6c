import { it } from 'vitest'
import { IS_LONG } from './plan.ts'

/** Runs in the long form and with `--mode pending`; else skipped. For an experiment that shows a defect until it is mended. */
export const itPending = it.extend<{ pending: undefined }>({
  pending: [
    async ({ skip }, use) => {
      if (!IS_LONG && process.env['MODE'] !== 'pending') skip('It shows a defect that is not mended yet.')
      await use(undefined)
    },
    { auto: true },
  ],
})

/** Runs only with `--mode soak`: it takes minutes and writes pictures into the documents. */
export const itSoak = it.extend<{ soak: undefined }>({
  soak: [
    async ({ skip }, use) => {
      if (process.env['MODE'] !== 'soak') skip('It takes minutes and writes pictures: pnpm test:soak.')
      await use(undefined)
    },
    { auto: true },
  ],
})
