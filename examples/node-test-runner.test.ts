import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it("the contract of the adapter runs with Node's test runner", async () => {
  const file = join(import.meta.dirname, 'persistence-adapter/test/contract.node.ts')
  // A test that runs tests says so in its environment, which would change what this one prints.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--test', '--test-reporter=tap', '--test-name-pattern=lists', file],
    { env: { ...env, NODE_OPTIONS: '--conditions=@pet-store/source' } },
  )
  expect(stdout).toMatch(/^# fail 0$/m)
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(10)
})
