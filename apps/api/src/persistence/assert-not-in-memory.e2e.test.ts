import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'

it.each([
  'keys create --name kiosk',
  'keys list',
  'seed --count 1',
  'import pets.ndjson',
  'export',
])('%s rejects a database in memory, which would end with the command', async (command) => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'pets.ndjson'), '{"name":"Rex","categoryId":1}\n')
  const ended = await runHere(command, folder, { DATABASE_URL: 'sqlite::memory:' })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain('The database must be a file, not sqlite::memory:')
})
