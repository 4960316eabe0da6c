import { createRandom, type Random } from '@pet-store/testing'
import { it, vi } from 'vitest'

/** The `--mode` of vitest: `test` by default. */
const MODE = process.env['MODE']

/**
 * Whether this is the long form, `pnpm test:faults`; else the short one, which is part of
 * `pnpm test`.
 */
export const IS_LONG = MODE === 'faults'

// Applies to every experiment, because each imports this file. Whatever waits for the service has a
// deadline of its own.
if (MODE !== 'test') vi.setConfig({ testTimeout: 24 * 3_600_000 })

/**
 * A test that runs in the long form only, because it takes long. The short form has a part of it.
 */
export const itLong = itWhere(IS_LONG, 'It is a part of the long form: pnpm test:faults.')

/** A test that runs only with `--mode soak`. */
export const itSoak = itWhere(MODE === 'soak', 'It takes minutes: pnpm test:soak.')

/** Tests that are skipped if the condition is false, with a reason, so that it is not a failure. */
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

/** The seed of all random numbers. `FAULTS_SEED` sets another one. */
export const SEED = Number(process.env['FAULTS_SEED'] ?? 20_301_205)

/** A number for the short form and one for the long form. */
export function size(short: number, long: number): number {
  return IS_LONG ? long : short
}

/**
 * Random numbers for one experiment only, so that experiments that run at the same time do not
 * affect each other.
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
