import { createApiKeyText, hashApiKey } from '@pet-store/access'
import { expect, it } from 'vitest'
import { PROGRAM, runProgram, temporaryFolder, waitForOutput } from '../testing/run-program.test-support.ts'

/** Makes the program hold and drop many objects, and prints the largest size of V8's space for new ones. */
const ALLOCATE = `
import { getHeapSpaceStatistics } from 'node:v8'
const newSpace = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
process.once('SIGUSR1', async () => {
  let most = 0
  for (let round = 0; round < 40; round += 1) {
    const recent = []
    for (let count = 0; count < 600_000; count += 1) recent.push({ count, list: [count] })
    most = Math.max(most, newSpace())
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  console.log('new space: ' + most)
})
`

it('V8 takes at most 64 MiB for new objects, whatever the machine has', async () => {
  const program = runProgram('serve', await temporaryFolder(), { API_KEYS_SHA256: hashApiKey(createApiKeyText()) }, [
    ...['--import', `data:text/javascript,${encodeURIComponent(ALLOCATE)}`, '--max-semi-space-size=64'],
    PROGRAM,
  ])
  await waitForOutput(program, /"msg":"serving"/)
  program.process.kill('SIGUSR1')
  const bytes = Number(await waitForOutput(program, /new space: (\d+)/))
  program.process.kill('SIGTERM')

  expect(await program.ended).toBe(0)
  // Growth doubles the size, and the bound is looked at in intervals.
  expect(bytes).toBeLessThanOrEqual(64 * 2 ** 20)
})
