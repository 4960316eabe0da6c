import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('the example of the README prints what its comments say', () => {
  const cwd = join(import.meta.dirname, '..')
  const [, example = ''] =
    /```ts\n(.*?)```/s.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? []
  const options = [
    '--conditions=@pet-store/source',
    '--input-type=module-typescript',
    '--eval',
    example,
  ]
  const { stdout, stderr } = spawnSync(process.execPath, options, { cwd, encoding: 'utf8' })
  expect(stdout, stderr).toMatch(/^\{ keyId: 'key_.*', scopes: \[ 'pets:read' \] \}\nundefined\n$/)
})
