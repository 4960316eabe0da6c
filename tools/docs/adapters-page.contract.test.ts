import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createAdaptersPage, PAGE } from './adapters-page.ts'

it('SQLite and PostgreSQL fulfil every contract, as docs/adapters.md says', async () => {
  expect(readFileSync(PAGE, 'utf8')).toBe(await createAdaptersPage())
})
