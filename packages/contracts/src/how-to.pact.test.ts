import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { openAdapter } from './providers/open-adapter.ts'
import { verifyPacts } from './verification/verify-pacts.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const EXAMPLE = 'testing/how-to-example.test-support.ts'

it('the example in the how-to is the tested file', () => {
  expect(read('../../../docs/how-to/add-a-consumer-contract.md')).toContain(`\`\`\`ts\n${read(EXAMPLE)}\`\`\``)
})

it('the example in the how-to writes a contract that holds', async () => {
  const folder = await temporaryFolder()
  const program = ['--conditions=@pet-store/source', join(import.meta.dirname, EXAMPLE)]
  const env = { ...process.env, PACT_DO_NOT_TRACK: 'true' }
  const { status, stderr } = spawnSync(process.execPath, program, { cwd: folder, encoding: 'utf8', env })
  expect(status, stderr).toBe(0)
  const pactUrls = [join(folder, 'pacts/kiosk-pet-store.json')]
  const { holds, interactions, report } = await verifyPacts({ pactUrls }, openAdapter)
  expect(holds, report).toBe(true)
  expect(interactions.map(({ description }) => description)).toEqual(['a list of the sold pets'])
})

it('the example in the README is a part of the consumer test of the client', () => {
  const [, example = 'none'] = /```ts\n(.*?)```/s.exec(read('../README.md')) ?? []
  const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, '')
  expect(withoutIndent(read('consumers/client.pact.test.ts'))).toContain(withoutIndent(example))
})
