// With vitest: npm test
import { adapterContract } from '@pet-store/persistence-testing'
import { afterAll, it } from 'vitest'
import createHarness from './harness.ts'

const harness = await createHarness()
afterAll(() => harness.close?.())

for (const { name, timeLimitMs, run } of adapterContract(harness)) {
  it(`the adapter ${name}`, { timeout: timeLimitMs + 1000 }, async ({ skip }) => {
    const notTested = await run()
    skip(notTested !== undefined, notTested)
  })
}
