import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openAdapter } from './open-adapter.ts'
import { verifyPacts } from './verify-pacts.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const EXAMPLE = 'how-to-example.test-support.ts'

it('the example of the page for other teams is what is tested here', () => {
  expect(read('../../../docs/how-to/add-a-consumer-contract.md')).toContain(`\`\`\`ts\n${read(EXAMPLE)}\`\`\``)
})

it('it writes a contract that holds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiosk-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@pet-store/source', join(import.meta.dirname, EXAMPLE)],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PACT_DO_NOT_TRACK: 'true' },
    },
  )
  expect(status, stderr).toBe(0)
  const pactUrls = [join(folder, 'pacts/kiosk-pet-store.json')]
  const { holds, interactions, report } = await verifyPacts({ pactUrls }, openAdapter)
  expect(holds, report).toBe(true)
  expect(interactions.map(({ description }) => description)).toEqual(['a list of the sold pets'])
})

it('the example of the README is a part of the consumer test of the client', () => {
  const [, example = 'none'] = /```ts\n(.*?)```/s.exec(read('../README.md')) ?? []
  const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, '')
  expect(withoutIndent(read('consumers/client.pact.test.ts'))).toContain(withoutIndent(example))
})
