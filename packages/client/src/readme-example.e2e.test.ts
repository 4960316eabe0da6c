import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { validateNewPet } from '@pet-store/domain'
import { expect, it } from 'vitest'
import { API_KEY, startService } from './testing/start-service.test-support.ts'

const PACKAGE = join(import.meta.dirname, '..')

it('the example in the README adds a pet, lists all pets and prints an error', async () => {
  const { baseUrl, pets } = await startService()
  await pets.add(validateNewPet({ name: 'Mia', categoryId: 1n, status: 'available' }))
  await pets.add(validateNewPet({ name: 'Tom', categoryId: 1n }))
  const [, example = ''] =
    /```ts\n(.*?)```/s.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? []
  const env = { ...process.env, NO_COLOR: '1', PET_STORE_URL: baseUrl, PET_STORE_KEY: API_KEY }
  const options = [
    '--conditions=@pet-store/source',
    '--input-type=module-typescript',
    '--eval',
    example,
  ]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: PACKAGE, env })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'Added Rex as pet 3 in category 9223372036854775807.',
    'The first page has 1. Another page: true',
    'Mia available',
    'Tom no status',
    'Rex available',
    expect.stringMatching(/^invalid_request: name must /),
  ])
})
