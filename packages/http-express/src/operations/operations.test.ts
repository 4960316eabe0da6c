import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'

// Generated tests cover what the description says of every operation; only these cover the rest.
it.each(Object.keys(OPERATIONS))(
  'the operation %s has tests of its own beside its handler',
  (name) => {
    const file = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
    expect(existsSync(join(import.meta.dirname, file)), file).toBe(true)
  },
)
