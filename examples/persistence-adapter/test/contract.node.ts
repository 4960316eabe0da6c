// With the test runner of Node: npm run test:node
import { after, it } from 'node:test'
import { adapterContract } from '@pet-store/persistence-testing'
import createHarness from './harness.ts'

const harness = await createHarness()
after(() => harness.close?.())

for (const { name, timeLimitMs, run } of adapterContract(harness)) {
  void it(`the adapter ${name}`, { timeout: timeLimitMs + 1000 }, async (context) => {
    const notTested = await run()
    if (notTested !== undefined) context.skip(notTested)
  })
}
