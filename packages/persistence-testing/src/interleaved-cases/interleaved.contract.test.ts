import { AssertionError } from 'node:assert'
import { describe, expect, it } from 'vitest'
import { createRemoteHarness } from '../testing/remote-adapter.test-support.ts'
import { interleavedCases } from './interleaved.ts'

const LIMIT_MS = 60_000

async function runCase(id: string, fault?: string): Promise<void> {
  const found = interleavedCases.find((one) => one.id === `persistence.interleaved.${id}`)
  const harness = await createRemoteHarness(fault)
  try {
    await found?.run(harness, LIMIT_MS)
  } finally {
    await harness.close?.()
  }
}

describe.concurrent('interleavedCases', () => {
  it.each(interleavedCases.map(({ id }) => id.replace('persistence.interleaved.', '')))(
    'the case %s passes with an adapter whose calls are single steps',
    async (id) => {
      await runCase(id)
    },
  )

  it.each([
    ['looks for a key before it adds', 'pets'],
    ['deletes by its name what has expired', 'expired-keys'],
    ['joins look-ups of one hash', 'api-keys'],
    ['looks at a key before it replaces it', 'api-keys'],
    ['looks at a key before it revokes it', 'api-keys'],
    ['reads a count before it writes it', 'limits'],
  ])('an adapter that %s is noticed', async (fault, id) => {
    await expect(runCase(id, fault)).rejects.toThrow(AssertionError)
  })
})
