import { expect, it } from 'vitest'
import { assertHarness } from './harness-members.ts'
import type { PersistenceHarness } from './persistence-harness.ts'

it.each([
  [
    { outdatedPlace: async () => '' },
    /^A harness has no member outdatedPlace[.] Its members are open, .*, outdatedDatabase, /,
  ],
  [
    { deletePet: undefined, concurrent: true, freeze: true },
    /^These members of a harness must be functions: freeze[.]$/,
  ],
])('assertHarness rejects a harness with %j', (members, message) => {
  const harness = { open: async () => {}, emptyDatabase: async () => '', ...members }
  expect(() => assertHarness(harness as unknown as PersistenceHarness)).toThrow(message)
})
