// The cases as tests of Node's own runner, which test-runner.ts starts on this file.
import { test } from 'node:test'
import { testNameOf } from './test-name.ts'
import { testedCases } from './test-runner.ts'

for (const one of testedCases())
  void test(testNameOf(one), async (context) => {
    const { result, reason } = await one.ended
    // There is no stack of interest in this process.
    if (result === 'failed') throw Object.assign(new Error(reason), { stack: reason })
    if (result === 'not tested') context.skip(reason)
  })
