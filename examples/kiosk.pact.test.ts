import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const COMMITTED = join(import.meta.dirname, '../packages/contracts/pacts/kiosk-pet-store.json')

// packages/contracts verifies the committed contract, with those of all consumers.
it('kiosk-contract.ts writes the contract of the kiosk that is committed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiosk-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(import.meta.dirname, 'kiosk-contract.ts')
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@pet-store/source', program, folder],
    {
      encoding: 'utf8',
      env: { ...process.env, PACT_DO_NOT_TRACK: 'true' },
    },
  )
  expect(status, stderr).toBe(0)
  const written = readFileSync(join(folder, 'kiosk-pet-store.json'), 'utf8')
  await expect(
    `${written.trimEnd()}\n`,
    'pnpm interface:update writes it; review and commit it',
  ).toMatchFileSnapshot(COMMITTED)
})

it('the code of the how-to is from kiosk-contract.ts', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
  const blocks = [
    ...read('../docs/how-to/add-a-consumer-contract.md').matchAll(/```ts\n(.*?)```/gs),
  ]
  expect(blocks).toHaveLength(2)
  for (const [, code = ''] of blocks) expect(read('kiosk-contract.ts')).toContain(code)
})
