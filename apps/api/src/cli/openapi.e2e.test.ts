import { readFileSync } from 'node:fs'
import { temporaryFolder } from '@pet-store/testing'
import { expect, it } from 'vitest'
import { runHere } from '../testing/run-command.test-support.ts'

const COPY = new URL('../../../../docs/openapi.json', import.meta.url)

it('prints the description that docs/openapi.json is a copy of, without any setting', async () => {
  const { code, stdout, stderr } = await runHere('openapi', await temporaryFolder(), { PORT: 'none' })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout, 'Refresh the copy: pnpm --silent pet-store openapi > docs/openapi.json').toBe(
    readFileSync(COPY, 'utf8'),
  )
})
