import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'

// What is described is tested from the description, for every operation; what is not, only by
// these.
it.each(Object.keys(OPERATIONS))(
  'the operation %s has tests of its own beside its handler',
  (name) => {
    const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
    expect(existsSync(join(import.meta.dirname, file)), file).toBe(true)
  },
)
