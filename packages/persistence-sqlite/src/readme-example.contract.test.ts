import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'

const PACKAGE = dirname(import.meta.dirname)

it('the example of the README runs', async () => {
  const folder = await temporaryFolder()
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? ''
  expect(example).toContain('./data/pet-store.db')

  const code = example.replace('./data/pet-store.db', join(folder, 'data', 'pet-store.db'))
  const node = ['--conditions=@pet-store/source', '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: PACKAGE })
  expect(stdout).toContain("id: 1n, name: 'Rex', categoryId: 1n, status: 'available'")
})
