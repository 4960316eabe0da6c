import { createRandom, type Random } from '@pet-store/testing'
import { it, vi } from 'vitest'

/** The `--mode` of vitest: `test` by default. */
const MODE = process.env['MODE']

/**
 * Whether this is the long form, `pnpm test:faults`; else the short one, which is part of
 * `pnpm test`.
 */
export const IS_LONG = MODE === 'faults'

// For every experiment, since each imports this file. What waits for the service has a deadline of
// its own.
if (MODE !== 'test') vi.setConfig({ testTimeout: 24 * 3_600_000 })

/** Runs in the long form only: it takes long, and the short form has a part of it. */
export const itLong = itWhere(IS_LONG, 'It is a part of the long form: pnpm test:faults.')

/** Runs only with `--mode soak`. */
export const itSoak = itWhere(MODE === 'soak', 'It takes minutes: pnpm test:soak.')

/**
 * Tests that are skipped with a reason, which counts as no failure, where the condition does not
 * hold.
 */
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

/** The seed of everything random. `FAULTS_SEED` sets another one. */
export const SEED = Number(process.env['FAULTS_SEED'] ?? 20_301_205)

/** A number for the short form and one for the long form. */
export function size(short: number, long: number): number {
  return IS_LONG ? long : short
}

/**
 * Random numbers of the experiment's own, so that experiments that run at once do not change each
 * other's.
 */
export function randomOf(experiment: string): Random {
  console.log(`${experiment}: FAULTS_SEED=${SEED}, ${IS_LONG ? 'long' : 'short'} form`)
  return createRandom(SEED)
}

/**
 * Prints the figures of an experiment in one line, for the reader of the run and for
 * docs/reliability.md.
 */
export function report(
  experiment: string,
  figures: Readonly<Record<string, number | string>>,
): void {
  const text = Object.entries(figures).map(
    ([name, value]) => `${name} ${value.toLocaleString('en')}`,
  )
  console.log(`${experiment}: ${text.join(', ')}`)
}
